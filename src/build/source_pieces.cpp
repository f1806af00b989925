// SPDX-License-Identifier: Apache-2.0
#include "build/source_pieces.h"

#include <algorithm>
#include <array>

namespace warpwright::build {

namespace {

constexpr std::array<std::string_view, 5> kRawPrefixes = {"R", "LR", "uR", "UR", "u8R"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of a digit of that base, or -1.
int digit(char c, int base) {
  int value = -1;
  if (is_digit(c)) value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

class Joiner {
 public:
  void add(char c, std::size_t place) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    current_.text += c;
    current_.places.push_back(place);
  }

  void finish() {
    if (!current_.text.empty()) found_.push_back(std::move(current_));
    current_ = {};
  }

  std::vector<LiteralText> take() {
    finish();
    return std::move(found_);
  }

 private:
  LiteralText current_;
  std::vector<LiteralText> found_;
};

/// An escape behind its backslash; returns the place behind it.
std::size_t add_escape(std::string_view source, std::size_t at, std::size_t end, Joiner& joiner) {
  constexpr std::string_view kNames = "abfnrtv";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
  const std::size_t place = at - 1;
  const char kind = source[at];
  if (kind == '\n') return at + 1;  // the line goes on
  if (const auto simple = kNames.find(kind); simple != std::string_view::npos) {
    joiner.add(kValues[simple], place);
    return at + 1;
  }
  const bool octal = digit(kind, 8) >= 0;
  const bool hexadecimal = kind == 'x' || kind == 'u' || kind == 'U';
  if (!octal && !hexadecimal) {
    joiner.add(kind, place);
    return at + 1;
  }
  const std::size_t most = octal ? 3 : kind == 'u' ? 4 : kind == 'U' ? 8 : end;
  const int base = octal ? 8 : 16;
  unsigned value = 0;
  std::size_t used = 0;
  for (at += octal ? 0 : 1; at < end && used < most && digit(source[at], base) >= 0; ++at, ++used) {
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit(source[at], base));
  }
  joiner.add(static_cast<char>(value), place);
  return at;
}

void add_string(std::string_view source, const Piece& piece, Joiner& joiner) {
  for (std::size_t at = piece.begin + 1; at < piece.end;) {
    if (source[at] == '\\' && at + 1 < piece.end) {
      at = add_escape(source, at + 1, piece.end, joiner);
    } else {
      if (source[at] != '"') joiner.add(source[at], at);
      ++at;
    }
  }
}

void add_raw_string(std::string_view source, const Piece& piece, Joiner& joiner) {
  const auto open = source.find('(', piece.begin);
  const auto close = source.substr(0, piece.end).rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return;
  for (std::size_t at = open + 1; at < close; ++at) joiner.add(source[at], at);
}

}  // namespace

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

bool SourcePieces::next(Piece& piece) {
  if (at_ >= text_.size()) return false;
  const char c = text_[at_];
  const std::string_view two = text_.substr(at_, 2);
  const bool raw = raw_prefix_;
  raw_prefix_ = false;
  piece.begin = at_;
  if (two == "//" || two == "/*") {
    piece = {PieceKind::comment, at_, comment_end()};
  } else if (is_word_character(c)) {
    piece = {PieceKind::word, at_, word_end()};
    const auto word = text_.substr(at_, piece.end - at_);
    raw_prefix_ = std::find(kRawPrefixes.begin(), kRawPrefixes.end(), word) != kRawPrefixes.end();
  } else if (c == '"') {
    piece = {raw ? PieceKind::raw_string : PieceKind::string, at_,
             raw ? raw_string_end() : literal_end()};
  } else if (c == '\'') {
    piece = {PieceKind::character, at_, literal_end()};
  } else {
    piece = {PieceKind::other, at_, at_ + 1};
  }
  at_ = piece.end;
  return true;
}

/// Numbers have quotes inside: 1'000.
std::size_t SourcePieces::word_end() const {
  const bool number = is_digit(text_[at_]);
  std::size_t end = at_;
  while (end < text_.size()) {
    const bool separator =
        number && text_[end] == '\'' && end + 1 < text_.size() && is_word_character(text_[end + 1]);
    if (!separator && !is_word_character(text_[end])) break;
    ++end;
  }
  return end;
}

std::size_t SourcePieces::comment_end() const {
  if (text_[at_ + 1] == '*') {
    const auto end = text_.find("*/", at_ + 2);
    return end == std::string_view::npos ? text_.size() : end + 2;
  }
  // A backslash at its end carries a comment on to the next line.
  auto end = text_.find('\n', at_);
  while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
  return std::min(end, text_.size());
}

/// Up to the closing quote, or to the end of the line where there is none.
std::size_t SourcePieces::literal_end() const {
  const char quote = text_[at_];
  for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
    if (text_[at] == quote) return at + 1;
    if (text_[at] == '\n') return at;
    if (text_[at] == '\\') ++at;
  }
  return text_.size();
}

std::size_t SourcePieces::raw_string_end() const {
  const auto open = text_.find('(', at_);
  if (open == std::string_view::npos) return text_.size();
  const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const auto close = text_.find(end, open);
  return close == std::string_view::npos ? text_.size() : close + end.size();
}

std::vector<LiteralText> literal_texts(std::string_view source) {
  Joiner joiner;
  SourcePieces pieces(source);
  for (Piece piece{}; pieces.next(piece);) {
    const bool blank = piece.kind == PieceKind::comment || piece.kind == PieceKind::word ||
                       static_cast<unsigned char>(source[piece.begin]) <= ' ' ||
                       source.substr(piece.begin, 2) == "\\\n";
    if (piece.kind == PieceKind::string) {
      add_string(source, piece, joiner);
    } else if (piece.kind == PieceKind::raw_string) {
      add_raw_string(source, piece, joiner);
    } else if (!blank) {
      joiner.finish();
    }
  }
  return joiner.take();
}

}  // namespace warpwright::build
