// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle_source.h"

#include <set>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "base/embedded.h"
#include "base/text.h"

namespace warpwright {
std::span<const EmbeddedFile> oracle_files();
}  // namespace warpwright

namespace warpwright::verify {

namespace {

std::string_view content_of(std::string_view name) {
  for (const auto& file : oracle_files()) {
    if (file.path.ends_with(name)) return file.content;
  }
  ASSERT(false, "the oracle includes a file that is not in the program");
}

/// Puts the text of an included file of ours where it is first asked for. Line numbers go astray,
/// but these files compile.
void append(std::string_view name, std::set<std::string_view>& done, std::string& to) {
  if (!done.insert(name).second) return;
  constexpr std::string_view kInclude = "#include \"";
  for (const auto line : lines_of(content_of(name))) {
    if (line.starts_with("#pragma once")) continue;
    if (line.starts_with(kInclude)) {
      const auto path = line.substr(kInclude.size());
      append(path.substr(0, path.find('"')), done, to);
      continue;
    }
    to += std::string(line) + "\n";
  }
}

}  // namespace

std::string_view reference_prelude() { return content_of("verify/oracle/reference.cuh"); }

std::string oracle_source() {
  std::set<std::string_view> done;
  std::string source;
  append("verify/oracle/oracle.cu", done, source);
  return source;
}

}  // namespace warpwright::verify
