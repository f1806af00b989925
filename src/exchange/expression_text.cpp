// SPDX-License-Identifier: Apache-2.0
#include "exchange/expression_text.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <vector>

#include "core/expression.h"

namespace warpwright::exchange {

namespace {

/// One part of an expression: its text, and the two sides where it is a quotient.
struct Part {
  std::string text;
  std::string over;  ///< not empty: text is over/under
  std::string under;
};

/// The grammar of core/expression.h, read once more for its shape. The text has been parsed there.
class Translator {
 public:
  Translator(std::string_view text, Language language) : text_(text), language_(language) {}

  std::string translate() { return comparison().text; }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Part comparison() {
    Part left = sum();
    for (const std::string_view token : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!take(token)) continue;
      const Part right = sum();
      return {fmt::format("({} {} {} ? 1.0 : 0.0)", left.text, token, right.text), "", ""};
    }
    return left;
  }

  Part sum() {
    Part left = product();
    for (;;) {
      const bool add = take("+");
      if (!add && !take("-")) return left;
      const Part right = product();
      left = {fmt::format("({} {} {})", left.text, add ? '+' : '-', right.text), "", ""};
    }
  }

  Part product() {
    Part left = unary();
    for (;;) {
      if (take("*")) {
        left = {fmt::format("({} * {})", left.text, unary().text), "", ""};
      } else if (take("/")) {
        const Part right = unary();
        left = {fmt::format("({} / {})", left.text, right.text), left.text, right.text};
      } else if (take("%")) {
        const Part right = unary();
        left = {language_ == Language::cpp ? fmt::format("ww_mod({}, {})", left.text, right.text)
                                           : fmt::format("({} % {})", left.text, right.text),
                "", ""};
      } else {
        return left;
      }
    }
  }

  Part unary() {
    if (take("-")) return {fmt::format("(-{})", unary().text), "", ""};
    return power();
  }

  Part power() {
    Part base = primary();
    if (!take("^")) return base;
    const Part exponent = unary();
    return {language_ == Language::cpp ? fmt::format("std::pow({}, {})", base.text, exponent.text)
                                       : fmt::format("({} ** {})", base.text, exponent.text),
            "", ""};
  }

  Part primary() {
    if (take("(")) {
      Part inner = comparison();
      take(")");
      return inner;
    }
    skip();
    const std::size_t from = at_;
    const bool name = at_ < text_.size() &&
                      std::isdigit(static_cast<unsigned char>(text_[at_])) == 0 &&
                      text_[at_] != '.';
    while (at_ < text_.size() && belongs(from)) ++at_;
    std::string word(text_.substr(from, at_ - from));
    if (!name) return {number(word), "", ""};
    if (take("(")) return function(word);
    return {word, "", ""};
  }

  /// Of a word that begins there: letters, digits, points, and the sign of an exponent.
  [[nodiscard]] bool belongs(std::size_t from) const {
    const char c = text_[at_];
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.') return true;
    const bool number =
        std::isdigit(static_cast<unsigned char>(text_[from])) != 0 || text_[from] == '.';
    return number && (c == '+' || c == '-') && at_ > from &&
           (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
  }

  [[nodiscard]] std::string number(const std::string& word) const {
    const bool whole = word.find_first_not_of("0123456789") == std::string::npos;
    return whole && language_ == Language::cpp ? word + ".0" : word;
  }

  Part function(const std::string& name) {
    std::vector<Part> arguments;
    do arguments.push_back(comparison());
    while (take(","));
    take(")");
    const Part& first = arguments.front();
    if (language_ == Language::python && name == "floor" && !first.over.empty())
      return {fmt::format("({} // {})", first.over, first.under), "", ""};
    std::string list;
    for (const Part& part : arguments) list += (list.empty() ? "" : ", ") + part.text;
    return {fmt::format("{}({})", function_name(name), list), "", ""};
  }

  [[nodiscard]] std::string function_name(const std::string& name) const {
    if (name == "and" || name == "or") return "ww_" + name;
    if (language_ == Language::cpp) return (name == "abs" ? "std::f" : "std::") + name;
    if (name == "abs" || name == "max" || name == "min" || name == "round") return name;
    return "math." + name;
  }

  std::string_view text_;
  Language language_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::string> expression_text(std::string_view text, Language language) {
  WW_TRY(const auto parsed, Expression::parse(text));
  std::string translated = Translator(text, language).translate();
  if (language == Language::cpp) return translated;
  // Python has no conditional with a question mark.
  for (std::size_t at = translated.find(" ? 1.0 : 0.0"); at != std::string::npos;
       at = translated.find(" ? 1.0 : 0.0"))
    translated.erase(at, 12);
  return translated;
}

}  // namespace warpwright::exchange
