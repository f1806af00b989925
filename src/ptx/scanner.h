// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::simt {

/// Reads PTX text character by character, skipping blanks and comments and counting lines.
/// Every method is safe at the end of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { skip(); }

  [[nodiscard]] bool at_end() const { return pos_ >= text_.size(); }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[pos_]; }

  /// Takes `c` if it is next.
  bool accept(char c);
  /// Takes the word if it is next and ends there.
  bool accept_word(std::string_view word);
  /// Letters, digits, '_', '$', '%'; empty if there is none.
  std::string_view identifier();
  /// An identifier with dots and colons inside: an opcode, a directive, "%tid.x".
  std::string_view dotted();
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
  std::string_view take_while(bool (*keep)(char));

  std::string_view text_;
  std::size_t pos_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace warpwright::simt
