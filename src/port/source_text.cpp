// SPDX-License-Identifier: Apache-2.0
#include "port/source_text.h"

#include <algorithm>

#include "base/text.h"

namespace warpwright::port {

namespace {

bool means_something(const Token& token) {
  return token.kind != TokenKind::space && token.kind != TokenKind::comment &&
         token.kind != TokenKind::newline;
}

char partner(char open) {
  switch (open) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    default:
      return '\0';
  }
}

}  // namespace

SourceText::SourceText(std::string_view text) : text_(text) {
  for (const Token& token : tokens_of(text))
    if (means_something(token)) tokens_.push_back(token);
  device_.assign(tokens_.size(), false);
  kernel_.assign(tokens_.size(), false);
  mark_functions();
}

std::string SourceText::line_text(std::size_t i) const {
  if (i >= tokens_.size()) return {};
  const std::size_t before = text_.rfind('\n', tokens_[i].begin);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text_.find('\n', tokens_[i].begin), text_.size());
  if (begin > end) return {};
  return std::string(trimmed(text_.substr(begin, end - begin)));
}

bool SourceText::triple(std::size_t i, std::string_view mark) const {
  return i + 2 < size() && text_.substr(tokens_[i].begin, 3) == mark && at(i).size() == 1 &&
         tokens_[i].kind == TokenKind::other;
}

std::size_t SourceText::closing(std::size_t open) const {
  if (open >= size() || at(open).size() != 1 || partner(at(open)[0]) == '\0') return size();
  std::vector<char> expected;
  for (std::size_t i = open; i < size(); ++i) {
    if (tokens_[i].kind != TokenKind::other) continue;
    const char c = text_[tokens_[i].begin];
    if (const char close = partner(c); close != '\0') expected.push_back(close);
    if (c != ')' && c != ']' && c != '}') continue;
    if (expected.back() != c) return size();
    expected.pop_back();
    if (expected.empty()) return i;
  }
  return size();
}

std::vector<std::size_t> SourceText::arguments(std::size_t open) const {
  const std::size_t close = closing(open);
  if (close == size() || !is(open, "(")) return {};
  std::vector<std::size_t> begins;
  if (open + 1 < close) begins.push_back(open + 1);
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens_[i].kind != TokenKind::other) continue;
    const char c = text_[tokens_[i].begin];
    if (partner(c) != '\0') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) begins.push_back(i + 1);
  }
  begins.push_back(close);
  return begins;
}

std::string_view SourceText::between(std::size_t from, std::size_t to) const {
  if (from >= to || from >= size()) return {};
  const std::size_t last = std::min(to, size()) - 1;
  return text_.substr(tokens_[from].begin, tokens_[last].end - tokens_[from].begin);
}

void SourceText::mark_functions() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!word(i)) continue;
    if (is(i, "__global__") || is(i, "__device__")) mark_body(i, is(i, "__global__"));
    if (is(i, "define") && i > 0 && is(i - 1, "#")) mark_macro(i);
  }
}

/// A macro may be used anywhere. Its last token is the one before the directive's end.
void SourceText::mark_macro(std::size_t define) {
  for (std::size_t i = define; i < size() && tokens_[i].directive; ++i) {
    if (i > define &&
        text_.substr(tokens_[i - 1].end, tokens_[i].begin - tokens_[i - 1].end).find('\n') !=
            std::string_view::npos &&
        is(i, "#"))
      return;
    device_[i] = true;
  }
}

/// From the keyword to the body: the first '{' after a parameter list, unless ';' or '=' comes
/// before.
void SourceText::mark_body(std::size_t keyword, bool kernel) {
  bool parameters = false;
  for (std::size_t i = keyword + 1; i < size(); ++i) {
    if (is(i, ";") || (is(i, "=") && !parameters) || is(i, "}")) return;
    if (is(i, "(") || is(i, "[")) {
      parameters = parameters || is(i, "(");
      const std::size_t close = closing(i);
      if (close == size()) return;
      i = close;
      continue;
    }
    if (!is(i, "{")) continue;
    if (!parameters) return;
    const std::size_t close = closing(i);
    for (std::size_t k = i; k < size() && k <= close; ++k) {
      device_[k] = true;
      kernel_[k] = kernel_[k] || kernel;
    }
    return;
  }
}

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at || edit.end > text.size()) continue;
    result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  result += text.substr(at);
  return result;
}

}  // namespace warpwright::port
