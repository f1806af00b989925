// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::build {

enum class PieceKind { word, other, comment, string, raw_string, character };

/// A part of C++ source text: a name or number, a comment, a literal with its quotes (a prefix is a
/// word before it), or one character of anything else.
struct Piece {
  PieceKind kind;
  std::size_t begin;
  std::size_t end;
};

/// Cuts any text into pieces that follow each other without gaps.
class SourcePieces {
 public:
  explicit SourcePieces(std::string_view text) : text_(text) {}

  /// False at the end.
  bool next(Piece& piece);

 private:
  [[nodiscard]] std::size_t word_end() const;
  [[nodiscard]] std::size_t comment_end() const;
  [[nodiscard]] std::size_t literal_end() const;
  [[nodiscard]] std::size_t raw_string_end() const;

  std::string_view text_;
  std::size_t at_ = 0;
  bool raw_prefix_ = false;
};

/// Neighbouring string literals as the compiler joins them, with escapes resolved and in lower
/// case: assemblers do not tell cases apart.
struct LiteralText {
  std::string text;
  std::vector<std::size_t> places;  ///< for each character, where in the source it comes from
};

/// All of a source, in order. Names between two literals may be macros for nothing, so they do not
/// part them.
std::vector<LiteralText> literal_texts(std::string_view source);

/// Letters, digits and '_'.
bool is_word_character(char c);

}  // namespace warpwright::build
