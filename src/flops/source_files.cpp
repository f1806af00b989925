// SPDX-License-Identifier: Apache-2.0
#include "flops/source_files.h"

#include <set>

#include "base/files.h"
#include "base/text.h"

namespace warpwright::flop {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20;
constexpr std::size_t kMostSourceFiles = 200;

/// "util.h" of `#include "util.h"`; empty otherwise.
std::string_view included_by(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line = trimmed(line.substr(1));
  if (!line.starts_with("include")) return {};
  const std::size_t first = line.find('"');
  if (first == std::string_view::npos) return {};
  const std::size_t last = line.find('"', first + 1);
  return last == std::string_view::npos ? std::string_view{}
                                        : line.substr(first + 1, last - first - 1);
}

class SourceReader {
 public:
  explicit SourceReader(const ProgramRequest& program) : program_(program) {
    std::error_code code;
    root_ = fs::absolute(program.files.front(), code).parent_path().lexically_normal();
  }

  std::vector<SourceFile> read() {
    for (const fs::path& file : program_.files) add(file);
    return std::move(files_);
  }

 private:
  void add(const fs::path& path) {
    std::error_code code;
    const fs::path full = fs::canonical(path, code);
    if (code || !seen_.insert(full).second || seen_.size() > kMostSourceFiles) return;
    const auto text = read_file(full, kMostSourceBytes);
    if (!text.ok() || bytes_ + text->size() > kMostSourceBytes) return;
    bytes_ += text->size();
    // Headers stand before the text that needs them.
    for (const std::string_view line : lines_of(*text)) {
      const std::string name(included_by(line));
      if (!name.empty()) add_header(full.parent_path(), name);
    }
    files_.push_back({full.lexically_relative(root_).generic_string(), *text});
  }

  void add_header(const fs::path& beside, const std::string& name) {
    std::vector<fs::path> folders = {beside};
    folders.insert(folders.end(), program_.includes.begin(), program_.includes.end());
    for (const fs::path& folder : folders) {
      std::error_code code;
      if (!fs::is_regular_file(folder / name, code)) continue;
      return add(folder / name);
    }
  }

  const ProgramRequest& program_;
  fs::path root_;
  std::set<fs::path> seen_;
  std::size_t bytes_ = 0;
  std::vector<SourceFile> files_;
};

}  // namespace

std::vector<SourceFile> source_files(const ProgramRequest& program) {
  if (program.files.empty()) return {};
  return SourceReader(program).read();
}

}  // namespace warpwright::flop
