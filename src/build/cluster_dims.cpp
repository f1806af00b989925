// SPDX-License-Identifier: Apache-2.0
#include "build/cluster_dims.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace warpwright::build {
namespace {

constexpr std::string_view kNote = "ww_cluster_dims";

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$';
}

/// The name behind an @ at `at`.
std::string_view name_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && in_name(text[end])) ++end;
  return text.substr(at + 1, end - at - 1);
}

/// "{ i32 8, i32 1 }" as "8, 1, 1"; empty where it is something else.
std::string numbers_of(std::string_view fields) {
  std::vector<std::string> numbers;
  for (std::size_t at = fields.find("i32 "); at != std::string_view::npos;
       at = fields.find("i32 ", at + 1)) {
    std::string digits;
    for (std::size_t i = at + 4; i < fields.size() && fields[i] >= '0' && fields[i] <= '9'; ++i)
      digits += fields[i];
    if (digits.empty() || digits.size() > 4) return {};
    numbers.push_back(digits);
  }
  if (numbers.empty() || numbers.size() > 3) return {};
  while (numbers.size() < 3) numbers.emplace_back("1");
  return numbers[0] + ", " + numbers[1] + ", " + numbers[2];
}

/// Global constants of the text: the line behind "@NAME = ".
std::map<std::string_view, std::string_view> constants_of(std::string_view llvm) {
  std::map<std::string_view, std::string_view> all;
  for (const std::string_view line : lines_of(llvm)) {
    if (!line.starts_with('@')) continue;
    const std::string_view name = name_at(line, 0);
    all[name] = line.substr(std::min(line.size(), name.size() + 1));
  }
  return all;
}

}  // namespace

bool mentions_cluster_dims(std::string_view source) {
  return source.find("__cluster_dims__") != std::string_view::npos;
}

std::map<std::string, std::string, std::less<>> find_cluster_dims(std::string_view llvm) {
  std::map<std::string, std::string, std::less<>> found;
  const auto constants = constants_of(llvm);
  const auto notes = constants.find("llvm.global.annotations");
  if (notes == constants.end()) return found;
  // Rows of { kernel, text, file, line, arguments }.
  std::vector<std::string_view> row;
  for (std::size_t at = notes->second.find("ptr @"); at != std::string_view::npos;
       at = notes->second.find("ptr @", at + 1)) {
    row.push_back(name_at(notes->second, at + 4));
    if (row.size() < 4) continue;
    const auto text = constants.find(row[1]), arguments = constants.find(row[3]);
    if (text != constants.end() && arguments != constants.end() &&
        text->second.find(kNote) != std::string_view::npos) {
      const std::size_t values = arguments->second.find("} {");
      if (values != std::string_view::npos) {
        const std::string numbers = numbers_of(arguments->second.substr(values));
        if (!numbers.empty()) found[std::string(row[0])] = numbers;
      }
    }
    row.clear();
  }
  return found;
}

std::string with_cluster_dims(std::string_view ptx,
                              const std::map<std::string, std::string, std::less<>>& dims) {
  constexpr std::string_view kEntry = ".entry ";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos;
       at = ptx.find(kEntry, at + 1)) {
    const std::string_view name = name_at(ptx, at + kEntry.size() - 1);
    const auto row = dims.find(name);
    // Directives stand between the parameters and the body.
    const std::size_t body = ptx.find('{', at);
    const std::size_t declared = ptx.find(';', at);
    if (declared < body) {
      // The note is a use before the definition, so that clang declares the kernel first. Nobody
      // calls it: what reads the text is to see it once.
      const std::size_t line = ptx.rfind('\n', at) + 1;
      out += ptx.substr(done, std::max(line, done) - done);
      done = declared + 1;
      continue;
    }
    if (row == dims.end() || body == std::string_view::npos) continue;
    out += ptx.substr(done, body - done);
    out += ".explicitcluster\n.reqnctapercluster " + row->second + "\n";
    done = body;
  }
  out += ptx.substr(done);
  return out;
}

}  // namespace warpwright::build
