// SPDX-License-Identifier: Apache-2.0
#include "ptx/scanner.h"

#include "base/text.h"

namespace warpwright::simt {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

bool is_dotted(char c) { return is_name(c) || c == '.' || c == ':'; }

bool is_not_newline(char c) { return c != '\n'; }

}  // namespace

void Scanner::skip() {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '\n') {
      ++line_;
      ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++pos_;
    } else if (text_.substr(pos_, 2) == "//") {
      while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
    } else if (text_.substr(pos_, 2) == "/*") {
      const std::size_t end = text_.find("*/", pos_ + 2);
      const std::size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
      for (; pos_ < stop; ++pos_) line_ += text_[pos_] == '\n';
    } else {
      return;
    }
  }
}

bool Scanner::accept(char c) {
  if (at_end() || text_[pos_] != c) return false;
  ++pos_;
  skip();
  return true;
}

bool Scanner::accept_word(std::string_view word) {
  if (text_.substr(pos_, word.size()) != word) return false;
  const std::size_t end = pos_ + word.size();
  if (end < text_.size() && is_name(text_[end])) return false;
  pos_ = end;
  skip();
  return true;
}

std::string_view Scanner::take_while(bool (*keep)(char)) {
  const std::size_t begin = pos_;
  while (pos_ < text_.size() && keep(text_[pos_])) ++pos_;
  const std::string_view taken = text_.substr(begin, pos_ - begin);
  skip();
  return taken;
}

std::string_view Scanner::identifier() { return take_while(is_name); }
std::string_view Scanner::rest_of_line() { return take_while(is_not_newline); }

std::string_view Scanner::dotted() {
  std::size_t end = pos_;
  while (end < text_.size() && is_dotted(text_[end])) ++end;
  // A single ':' ends a label; only "::" belongs to an opcode.
  while (end > pos_ && text_[end - 1] == ':') --end;
  const std::string_view taken = text_.substr(pos_, end - pos_);
  pos_ = end;
  skip();
  return taken;
}

std::string_view Scanner::directive() {
  std::size_t end = pos_ + (peek() == '.' ? 1 : 0);
  while (end < text_.size() && is_name(text_[end])) ++end;
  const std::string_view taken = text_.substr(pos_, end - pos_);
  pos_ = end;
  skip();
  return taken;
}

std::string_view Scanner::quoted() {
  if (peek() != '"') return {};
  const std::size_t end = text_.find('"', pos_ + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view inside = text_.substr(pos_ + 1, end - pos_ - 1);
  for (const char c : inside) line_ += c == '\n';
  pos_ = end + 1;
  skip();
  return inside;
}

void Scanner::skip_braces() {
  int depth = 0;
  while (!at_end()) {
    const char c = text_[pos_];
    ++pos_;
    skip();
    if (c == '{') ++depth;
    if (c == '}' && --depth <= 0) return;
  }
}

void Scanner::skip_statement() {
  while (!at_end() && text_[pos_] != ';') {
    ++pos_;
    skip();
  }
  accept(';');
}

Error Scanner::error(std::string_view what) const {
  return Error{"PTX line " + std::to_string(line_) + ": " + std::string(shortened(what, 400))};
}

}  // namespace warpwright::simt
