// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warpwright::port {

enum class TokenKind {
  space,        ///< blanks and joined lines
  newline,      ///< a line's end; within a directive, the directive's end
  comment,      ///< with its marks
  word,         ///< a name or keyword
  number,       ///< a preprocessing number
  string,       ///< with prefix and quotes; raw strings too
  character,    ///< with prefix and quotes
  header_name,  ///< <...> or "..." of an include directive, with its marks
  other,        ///< one character of anything else
};

/// A part of C++ source text.
struct Token {
  TokenKind kind;
  std::size_t begin;
  std::size_t end;
  int line;        ///< where it begins, from 1
  bool directive;  ///< part of a preprocessor line
};

/// Cuts any text into tokens that follow each other without gaps. Damaged literals end with their
/// line, damaged comments with the text.
std::vector<Token> tokens_of(std::string_view text);

bool is_word_start(char c);
bool is_word_part(char c);

}  // namespace warpwright::port
