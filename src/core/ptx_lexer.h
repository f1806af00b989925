// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace warpwright {

/// PTX as words and single punctuation marks; comments are skipped, a string is one word. An
/// instruction with all its qualifiers is one word, "::" included ("ld.global.L2::128B.f32"). Line
/// ends mean nothing in PTX, and a candidate can write any PTX through inline assembly.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const std::size_t start = at_;
    if (text_[at_] == '"') {
      const auto end = text_.find('"', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (word_at(at_) > 0) {
      while (const std::size_t length = word_at(at_)) at_ += length;
    } else {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  /// How many characters at this place belong to a word.
  [[nodiscard]] std::size_t word_at(std::size_t at) const {
    if (at >= text_.size()) return 0;
    const char c = text_[at];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '$' || c == '.' || c == '%';
    if (plain) return 1;
    return text_.substr(at, 2) == "::" ? 2 : 0;
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

}  // namespace warpwright
