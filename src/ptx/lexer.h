// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::ptx {

/// Reads PTX text from its start to its end, skipping blanks and comments and counting lines. The
/// one place that knows where ptxas cuts: the parser and everything that counts or looks up words
/// read through it. A candidate can write any PTX through inline assembly. Every method is safe at
/// the end of the text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { skip(); }

  [[nodiscard]] bool at_end() const { return pos_ >= text_.size(); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[pos_]; }

  /// The next word or punctuation mark; empty at the end. A string is one word with its quotes.
  /// Inside of braces an instruction with all its qualifiers is one word (see instruction()).
  /// Directives are one word each, however they are glued (".global.u32").
  std::string_view word();

  /// Takes `c` if it is next.
  bool accept(char c);
  /// Takes the word if it is next and ends there.
  bool accept_word(std::string_view word);
  /// Letters, digits, '_', '$', '%'; empty if there is none.
  std::string_view identifier();
  /// An identifier with dots and "::" inside: "%tid.x", "1.5", "shared::cta".
  std::string_view dotted();
  /// An instruction with all its qualifiers, "::" included ("ld.global.L2::128B.f32"), also where
  /// blanks, line ends or comments stand before a qualifier: plain() takes those out.
  std::string_view instruction();
  /// One directive or type, also where hand-written assembly glues several (".reg.b16 x").
  std::string_view directive();
  /// Everything up to the end of the line.
  std::string_view rest_of_line();
  /// The inside of a string literal, unescaped quotes only; empty if there is none.
  std::string_view quoted();
  /// Skips a {...} section with everything inside.
  void skip_braces();
  /// Skips past the next ';'.
  void skip_statement();

  [[nodiscard]] Error error(std::string_view what) const;

 private:
  void skip();
  /// The text up to `end`, taken.
  std::string_view take(std::size_t end);
  [[nodiscard]] std::size_t name_end(std::size_t at, bool with_colons) const;
  [[nodiscard]] std::size_t string_end() const;

  std::string_view text_;
  std::size_t pos_ = 0;
  std::uint32_t line_ = 1;
  int depth_ = 0;  ///< of braces among the words
};

/// A word of the lexer without the blanks and comments in it: "add /* */ .f32" -> "add.f32".
std::string plain(std::string_view word);

/// Whether a word can be the name of a variable or function.
bool is_name(std::string_view word);

}  // namespace warpwright::ptx
