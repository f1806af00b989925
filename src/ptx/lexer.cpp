// SPDX-License-Identifier: Apache-2.0
#include "ptx/lexer.h"

#include <algorithm>

#include "base/text.h"

namespace warpwright::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// The first place at or after `at` that is neither blank nor comment.
std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) <= ' ') {
      ++at;
      continue;
    }
    const char next = text[at] == '/' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (next != '/' && next != '*') break;
    const std::size_t end = next == '/' ? text.find('\n', at) : text.find("*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + (next == '*' ? 2 : 0);
  }
  return at;
}

}  // namespace

void Lexer::skip() {
  const std::size_t end = after_blanks(text_, pos_);
  line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(pos_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end),
                                                 '\n'));
  pos_ = end;
}

std::string_view Lexer::take(std::size_t end) {
  const std::string_view taken = text_.substr(pos_, end - pos_);
  pos_ = end;
  skip();
  return taken;
}

std::size_t Lexer::name_end(std::size_t at, bool with_colons) const {
  while (at < text_.size()) {
    if (is_letter(text_[at]) || is_digit(text_[at])) {
      ++at;
    } else if (with_colons && text_.substr(at, 2) == "::") {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

std::size_t Lexer::string_end() const {
  const std::size_t end = text_.find('"', pos_ + 1);
  return end == std::string_view::npos ? text_.size() : end + 1;
}

std::string_view Lexer::word() {
  const char c = peek();
  if (at_end()) return {};
  if (c == '"') {
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(pos_),
                   text_.begin() + static_cast<std::ptrdiff_t>(string_end()), '\n'));
    return take(string_end());
  }
  if (c == '.') return take(name_end(pos_ + 1, true));
  const std::size_t end = name_end(pos_, true);
  if (is_digit(c)) {
    const bool fraction = end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
    return take(fraction ? name_end(end + 1, true) : end);
  }
  if (end > pos_) return depth_ > 0 && c != '%' && c != '$' ? instruction() : take(end);
  depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
  return take(pos_ + 1);
}

bool Lexer::accept(char c) {
  if (at_end() || text_[pos_] != c) return false;
  take(pos_ + 1);
  return true;
}

bool Lexer::accept_word(std::string_view word) {
  if (text_.substr(pos_, word.size()) != word || name_end(pos_, false) != pos_ + word.size())
    return false;
  take(pos_ + word.size());
  return true;
}

std::string_view Lexer::identifier() { return take(name_end(pos_, false)); }

std::string_view Lexer::rest_of_line() {
  return take(std::min(text_.find('\n', pos_), text_.size()));
}

std::string_view Lexer::dotted() {
  std::size_t end = name_end(pos_, true);
  while (end < text_.size() && text_[end] == '.') end = name_end(end + 1, true);
  return take(end);
}

std::string_view Lexer::instruction() {
  const std::size_t start = pos_;
  std::size_t end = name_end(pos_, true);
  take(end);
  while (peek() == '.') {
    end = name_end(pos_ + 1, true);
    take(end);
  }
  return text_.substr(start, end - start);
}

std::string_view Lexer::directive() {
  return take(name_end(pos_ + (peek() == '.' ? 1 : 0), false));
}

std::string_view Lexer::quoted() {
  if (peek() != '"' || text_.find('"', pos_ + 1) == std::string_view::npos) return {};
  const std::string_view string = word();
  return string.substr(1, string.size() - 2);
}

void Lexer::skip_braces() {
  int depth = 0;
  while (!at_end()) {
    const char c = text_[pos_];
    take(pos_ + 1);
    if (c == '{') ++depth;
    if (c == '}' && --depth <= 0) return;
  }
}

void Lexer::skip_statement() {
  while (!at_end() && text_[pos_] != ';') take(pos_ + 1);
  accept(';');
}

Error Lexer::error(std::string_view what) const {
  return Error{"PTX line " + std::to_string(line_) + ": " + std::string(shortened(what, 400))};
}

std::string plain(std::string_view word) {
  if (word.starts_with('"')) return std::string(word);
  std::string text;
  for (std::size_t at = after_blanks(word, 0); at < word.size(); at = after_blanks(word, at + 1))
    text += word[at];
  return text;
}

bool is_name(std::string_view word) { return !word.empty() && is_letter(word.front()); }

}  // namespace warpwright::ptx
