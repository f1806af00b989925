// SPDX-License-Identifier: Apache-2.0
#include "device/ptx_variables.h"

#include <algorithm>

namespace warpwright::device {

namespace {

/// Words and single punctuation marks; comments and strings are skipped. Line ends mean nothing in
/// PTX, and a candidate can write any PTX through inline assembly.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const std::size_t start = at_;
    if (text_[at_] == '"') {
      const auto end = text_.find('"', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '%';
  }

  void skip() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const auto end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (static_cast<unsigned char>(text_[at_]) <= ' ') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_name(std::string_view word) {
  const char c = word.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// What follows ".global": one name or several, each with dimensions and a value.
void declare(Words& words, bool external, std::vector<std::string>& names) {
  bool named = false;
  int braces = 0;
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    braces += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (braces > 0 || word == "}") continue;
    if (word == ";") return;
    if (word == ",") {
      named = false;
    } else if (word == ".align") {
      words.next();
    } else if (!named && is_name(word)) {
      // Externals belong to the driver (vprintf's and malloc's), not to the module.
      if (!external) names.emplace_back(word);
      named = true;
    }
  }
}

}  // namespace

std::vector<std::string> ptx_variables(std::string_view ptx) {
  std::vector<std::string> names;
  Words words(ptx);
  int depth = 0;
  bool external = false;
  std::string_view before;
  for (auto word = words.next(); !word.empty(); before = word, word = words.next()) {
    depth += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (word == ";" || word == "}") external = false;
    if (word == ".extern") external = true;
    const bool state = word == ".global" || word == ".const";
    if (depth == 0 && state && before != ".ptr") {
      declare(words, external, names);
      external = false;
    }
  }
  return names;
}

}  // namespace warpwright::device
