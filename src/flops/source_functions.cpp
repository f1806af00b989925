// SPDX-License-Identifier: Apache-2.0
#include "flops/source_functions.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace warpwright::flop {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// One pass over a text.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<std::string_view> all() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char next(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = next();
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '#' && line_begins_) {
      skip_directive();
    } else if (c == '/' && next(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && next(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (c == '"' || c == '\'') {
      skip_quoted(c);
    } else {
      take();
    }
  }

  void skip_directive() {
    while (at_ < text_.size() && next() != '\n') {
      if (next() == '\\' && next(1) == '\n') ++at_;
      ++at_;
    }
  }

  void skip_quoted(char quote) {
    for (++at_; at_ < text_.size() && next() != quote && next() != '\n'; ++at_) {
      if (next() == '\\') ++at_;
    }
    ++at_;
    line_begins_ = false;
  }

  void take() {
    const std::size_t begin = at_;
    line_begins_ = false;
    if (begins_name(next())) {
      while (goes_on(next())) ++at_;
    } else if (std::isdigit(static_cast<unsigned char>(next())) != 0 ||
               (next() == '.' && std::isdigit(static_cast<unsigned char>(next(1))) != 0)) {
      while (goes_on(next()) || next() == '.' ||
             ((next() == '+' || next() == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
        ++at_;
    } else {
      constexpr std::string_view kPairs[] = {"::", "->", "==", "!=", "<=", ">=", "&&", "||",
                                             "+=", "-=", "*=", "/=", "++", "--", "<<"};
      const std::string_view two = text_.substr(at_, 2);
      const bool pair = std::find(std::begin(kPairs), std::end(kPairs), two) != std::end(kPairs);
      at_ += pair ? 2 : 1;
    }
    tokens_.push_back(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<std::string_view> tokens_;
};

/// The place behind the bracket that closes the one at `open`.
std::size_t behind(const std::vector<std::string_view>& tokens, std::size_t open) {
  const std::string_view left = tokens[open];
  const std::string_view right = left == "(" ? ")" : left == "{" ? "}" : "]";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i] == left) ++depth;
    if (tokens[i] == right && --depth == 0) return i + 1;
  }
  return tokens.size();
}

/// Names of the parameters between the parentheses at [open, end).
std::vector<std::string_view> parameter_names(const std::vector<std::string_view>& tokens,
                                              std::size_t open, std::size_t end) {
  std::vector<std::string_view> names;
  std::string_view name;
  int depth = 0;
  bool any = false, given = false;
  for (std::size_t i = open + 1; i + 1 < end; ++i) {
    const std::string_view token = tokens[i];
    if (token == "(" || token == "<" || token == "[") ++depth;
    if (token == ")" || token == ">" || token == "]") --depth;
    if (token == "," && depth == 0) {
      names.push_back(name);
      name = {};
      given = false;
      continue;
    }
    any = true;
    if (token == "=") given = true;
    if (begins_name(token[0]) && depth == 0 && !given) name = token;
  }
  if (any) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string_view> tokens_of(std::string_view text) { return Tokens(text).all(); }

std::vector<SourceFunction> device_functions(std::string_view text) {
  const std::vector<std::string_view> tokens = tokens_of(text);
  std::vector<SourceFunction> functions;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "__global__" && tokens[i] != "__device__") continue;
    SourceFunction function;
    std::size_t k = i;
    // Up to the parenthesis of the parameters; other attributes have some, too.
    for (; k < tokens.size() && tokens[k] != ";" && tokens[k] != "{" && tokens[k] != "="; ++k) {
      if (tokens[k] == "__global__") function.is_kernel = true;
      if (tokens[k] != "(" || k == 0) continue;
      const std::string_view before = tokens[k - 1];
      if (before == "__launch_bounds__" || before == "__attribute__" || before == "__align__" ||
          before == "alignas" || before == "decltype") {
        k = behind(tokens, k) - 1;
        continue;
      }
      function.name = before;
      break;
    }
    if (function.name.empty() || k >= tokens.size() || tokens[k] != "(") continue;
    const std::size_t end = behind(tokens, k);
    function.parameters = parameter_names(tokens, k, end);
    std::size_t open = end;
    while (open < tokens.size() && tokens[open] != "{" && tokens[open] != ";") ++open;
    if (open >= tokens.size() || tokens[open] != "{") continue;
    const std::size_t close = behind(tokens, open);
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1;
    const auto last = tokens.begin() + static_cast<std::ptrdiff_t>(std::max(close, open + 2)) - 1;
    function.body.assign(first, std::max(first, last));
    functions.push_back(std::move(function));
    i = close - 1;
  }
  return functions;
}

std::vector<std::string_view> called_names(const std::vector<std::string_view>& tokens) {
  constexpr std::string_view kKeywords[] = {
      "if",       "for",          "while",      "switch",    "return",  "sizeof",   "alignof",
      "decltype", "catch",        "int",        "float",     "double",  "char",     "long",
      "short",    "bool",         "unsigned",   "signed",    "else",    "do",       "and",
      "or",       "not",          "typeof",     "auto",      "case",    "throw",    "__half",
      "half",     "size_t",       "__shared__", "constexpr", "asm",     "volatile", "void",
      "half2",    "uint32_t",     "int32_t",    "uint64_t",  "int64_t", "uint8_t",  "uint",
      "uchar",    "static_assert"};
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!begins_name(tokens[i][0])) continue;
    std::size_t open = i + 1;
    // "f<int, 4>(x)": over what looks like arguments of a template.
    if (tokens[open] == "<") {
      std::size_t end = open + 1;
      while (end < tokens.size() && end < open + 24 && tokens[end] != ">" && tokens[end] != ";" &&
             tokens[end] != "(" && tokens[end] != "&&" && tokens[end] != "||")
        ++end;
      if (end + 1 < tokens.size() && tokens[end] == ">") open = end + 1;
    }
    if (open >= tokens.size() || tokens[open] != "(") continue;
    if (std::find(std::begin(kKeywords), std::end(kKeywords), tokens[i]) == std::end(kKeywords))
      names.push_back(tokens[i]);
  }
  return names;
}

}  // namespace warpwright::flop
