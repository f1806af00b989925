// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace warpwright {

/// PTX as words and single punctuation marks, cut where ptxas cuts; comments are skipped, a string
/// is one word. Inside of braces an instruction with all its qualifiers is one word, "::" included
/// ("ld.global.L2::128B.f32"), also where blanks, line ends or comments stand before a qualifier:
/// ptx_word() takes those out. Directives are one word each, however they are glued
/// (".global.u32"). A candidate can write any PTX through inline assembly.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    at_ = after_blanks(text_, at_);
    if (at_ >= text_.size()) return {};
    const std::size_t start = at_;
    const char c = text_[at_];
    if (c == '"') {
      const auto end = text_.find('"', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (c == '.') {
      at_ = name_end(at_ + 1);
    } else if (is_digit(c)) {
      take_number();
    } else if (name_end(at_) > at_) {
      take_name();
    } else {
      depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  /// The first place at or after `at` that is neither blank nor comment.
  static std::size_t after_blanks(std::string_view text, std::size_t at) {
    while (at < text.size()) {
      if (text.substr(at, 2) == "//") {
        at = std::min(text.find('\n', at), text.size());
      } else if (text.substr(at, 2) == "/*") {
        const auto end = text.find("*/", at + 2);
        at = end == std::string_view::npos ? text.size() : end + 2;
      } else if (static_cast<unsigned char>(text[at]) <= ' ') {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  [[nodiscard]] std::size_t name_end(std::size_t at) const {
    while (at < text_.size()) {
      const char c = text_[at];
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
                         c == '_' || c == '$' || c == '%';
      if (!plain && text_.substr(at, 2) != "::") break;
      at += plain ? 1 : 2;
    }
    return at;
  }

  void take_number() {
    at_ = name_end(at_);
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      at_ = name_end(at_ + 1);
    }
  }

  void take_name() {
    const bool instruction = depth_ > 0 && text_[at_] != '%' && text_[at_] != '$';
    at_ = name_end(at_);
    while (instruction) {
      const std::size_t dot = after_blanks(text_, at_);
      if (dot >= text_.size() || text_[dot] != '.') return;
      at_ = name_end(dot + 1);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// A word of the lexer without the blanks and comments in it: "add /* */ .f32" -> "add.f32".
inline std::string ptx_word(std::string_view word) {
  if (word.starts_with('"')) return std::string(word);
  std::string plain;
  for (std::size_t at = PtxLexer::after_blanks(word, 0); at < word.size();
       at = PtxLexer::after_blanks(word, at + 1)) {
    plain += word[at];
  }
  return plain;
}

}  // namespace warpwright
