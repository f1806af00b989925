// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/lexer.h"

namespace warpwright::port {

/// A place in a text and what stands there instead.
struct Edit {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

/// A source as the sequence of its tokens that mean something: no blanks, comments, line ends.
class SourceText {
 public:
  explicit SourceText(std::string_view text);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const Token& token(std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] std::string_view raw() const { return text_; }

  /// The text of a token; empty beyond the end.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                              : std::string_view();
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return at(i) == text; }
  [[nodiscard]] bool word(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::word;
  }
  [[nodiscard]] int line(std::size_t i) const { return i < tokens_.size() ? tokens_[i].line : 0; }
  /// The whole line around a token, trimmed.
  [[nodiscard]] std::string line_text(std::size_t i) const;
  /// "<<<" or ">>>" begins at i.
  [[nodiscard]] bool triple(std::size_t i, std::string_view mark) const;
  /// Whether tokens i and i + 1 touch each other.
  [[nodiscard]] bool touches_next(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].end == tokens_[i + 1].begin;
  }
  /// Within the body of a function that runs on the device, or in a macro's body.
  [[nodiscard]] bool on_device(std::size_t i) const { return device_[i]; }
  /// Within the body of a kernel.
  [[nodiscard]] bool in_kernel(std::size_t i) const { return kernel_[i]; }

  /// The token that closes the bracket at `open`; size() where none does. Angle brackets are no
  /// brackets here.
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// The begins of the arguments of a call whose '(' is at `open`, then its ')'. Empty for a call
  /// that never ends.
  [[nodiscard]] std::vector<std::size_t> arguments(std::size_t open) const;
  /// The text from token `from` to before token `to`.
  [[nodiscard]] std::string_view between(std::size_t from, std::size_t to) const;

 private:
  void mark_functions();
  void mark_macro(std::size_t define);
  void mark_body(std::size_t keyword, bool kernel);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<bool> device_;
  std::vector<bool> kernel_;
};

/// The text with edits that do not overlap; of two at one place the first comes first.
std::string edited(std::string_view text, std::vector<Edit> edits);

}  // namespace warpwright::port
