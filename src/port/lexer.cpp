// SPDX-License-Identifier: Apache-2.0
#include "port/lexer.h"

#include <algorithm>
#include <string>

namespace warpwright::port {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xef\xbb\xbf")) add(TokenKind::space, 3);  // a byte order mark
    while (at_ < text_.size()) take();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  /// The length of a joined line's end at `at`, 0 where there is none.
  [[nodiscard]] std::size_t joined(std::size_t at) const {
    if (at + 1 >= text_.size() || text_[at] != '\\') return 0;
    if (text_[at + 1] == '\n') return 2;
    return at + 2 < text_.size() && text_[at + 1] == '\r' && text_[at + 2] == '\n' ? 3 : 0;
  }

  void add(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, at_, end, line_, directive_});
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void take() {
    const char c = peek();
    if (c == '\n') return take_newline();
    if (is_blank(c) || joined(at_) > 0) return add(TokenKind::space, space_end());
    if (c == '/' && peek(1) == '/') return add(TokenKind::comment, line_comment_end());
    if (c == '/' && peek(1) == '*') return add(TokenKind::comment, block_comment_end());
    if (c == '#' && fresh_line_) return start_directive();
    fresh_line_ = false;
    if (expects_header_ && (c == '<' || c == '"') && take_header_name()) return;
    expects_header_ = false;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return add(TokenKind::number, number_end());
    if (c == '"') return add(TokenKind::string, literal_end(at_));
    if (c == '\'') return add(TokenKind::character, literal_end(at_));
    if (is_word_start(c)) return take_word();
    add(TokenKind::other, at_ + 1);
  }

  void take_newline() {
    add(TokenKind::newline, at_ + 1);
    tokens_.back().directive = directive_;
    fresh_line_ = true;
    directive_ = false;
    expects_header_ = false;
  }

  void start_directive() {
    directive_ = true;
    fresh_line_ = false;
    add(TokenKind::other, at_ + 1);
    awaits_name_ = true;
  }

  void take_word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_part(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const bool names_directive = directive_ && awaits_name_;
    awaits_name_ = false;
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && take_prefixed(word, end))
      return;
    add(TokenKind::word, end);
    expects_header_ = names_directive && (word == "include" || word == "include_next");
  }

  bool take_prefixed(std::string_view prefix, std::size_t quote) {
    const bool raw =
        prefix == "R" || prefix == "u8R" || prefix == "uR" || prefix == "UR" || prefix == "LR";
    if (raw && text_[quote] == '"') {
      add(TokenKind::string, raw_string_end(quote));
      return true;
    }
    if (prefix != "u8" && prefix != "u" && prefix != "U" && prefix != "L") return false;
    add(text_[quote] == '"' ? TokenKind::string : TokenKind::character, literal_end(quote));
    return true;
  }

  bool take_header_name() {
    const char close = peek() == '<' ? '>' : '"';
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != close && text_[end] != '\n') ++end;
    if (end >= text_.size() || text_[end] != close) return false;
    expects_header_ = false;
    add(TokenKind::header_name, end + 1);
    return true;
  }

  [[nodiscard]] std::size_t space_end() const {
    std::size_t end = at_;
    while (end < text_.size()) {
      if (const std::size_t length = joined(end); length > 0) {
        end += length;
      } else if (is_blank(text_[end])) {
        ++end;
      } else {
        break;
      }
    }
    return end;
  }

  [[nodiscard]] std::size_t line_comment_end() const {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n') end += std::max<std::size_t>(joined(end), 1);
    return end;
  }

  [[nodiscard]] std::size_t block_comment_end() const {
    const std::size_t close = text_.find("*/", at_ + 2);
    return close == std::string_view::npos ? text_.size() : close + 2;
  }

  /// Digits, letters, dots, separators, and signs after an exponent's letter.
  [[nodiscard]] std::size_t number_end() const {
    std::size_t end = at_ + 1;
    const bool hex = text_[at_] == '0' && end < text_.size() && (text_[end] | 32) == 'x';
    while (end < text_.size()) {
      const char c = text_[end];
      const char before = static_cast<char>(text_[end - 1] | 32);
      const bool sign = (c == '+' || c == '-') && (before == 'p' || (before == 'e' && !hex));
      const bool separator = c == '\'' && end + 1 < text_.size() && is_word_part(text_[end + 1]);
      if (!is_word_part(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    return end;
  }

  [[nodiscard]] std::size_t literal_end(std::size_t quote) const {
    const char close = text_[quote];
    std::size_t end = quote + 1;
    while (end < text_.size() && text_[end] != close && text_[end] != '\n') {
      if (const std::size_t length = joined(end); length > 0) {
        end += length;
      } else {
        end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
      }
    }
    end = std::min(end, text_.size());
    return end < text_.size() && text_[end] == close ? end + 1 : end;
  }

  [[nodiscard]] std::size_t raw_string_end(std::size_t quote) const {
    constexpr std::size_t kLongestMark = 16;
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos || open - quote - 1 > kLongestMark)
      return literal_end(quote);
    std::string close(1, ')');
    close += text_.substr(quote + 1, open - quote - 1);
    close += '"';
    const std::size_t end = text_.find(close, open);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_line_ = true;       ///< only blanks and comments since the line began
  bool directive_ = false;       ///< within a preprocessor line
  bool awaits_name_ = false;     ///< '#' was the last token that counts
  bool expects_header_ = false;  ///< "include" was the last token that counts
};

}  // namespace

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).run(); }

}  // namespace warpwright::port
