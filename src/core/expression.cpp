// SPDX-License-Identifier: Apache-2.0
#include "core/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/closest.h"

namespace warpwright {

namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr int kMaxDepth = 64;
constexpr double kMaxExact = 9007199254740992.0;  // 2^53

enum Opcode : int {
  op_number,
  op_name,
  op_negate,
  op_add,
  op_subtract,
  op_multiply,
  op_divide,
  op_modulo,
  op_power,
  op_less,
  op_less_equal,
  op_greater,
  op_greater_equal,
  op_equal,
  op_not_equal,
  op_first_function,
};

struct FunctionRow {
  std::string_view name;
  int arity;
  std::string_view meaning;
  double (*call)(double, double);
};

constexpr std::array<FunctionRow, 13> kFunctions = {{
    {"abs", 1, "magnitude", [](double a, double) { return std::fabs(a); }},
    {"and", 2, "1 if both are not 0",
     [](double a, double b) { return a != 0 && b != 0 ? 1. : 0.; }},
    {"ceil", 1, "least integer not below", [](double a, double) { return std::ceil(a); }},
    {"exp", 1, "e to the power", [](double a, double) { return std::exp(a); }},
    {"floor", 1, "greatest integer not above", [](double a, double) { return std::floor(a); }},
    {"log", 1, "natural logarithm", [](double a, double) { return std::log(a); }},
    {"log2", 1, "logarithm to base 2", [](double a, double) { return std::log2(a); }},
    {"max", 2, "the larger", [](double a, double b) { return std::max(a, b); }},
    {"min", 2, "the smaller", [](double a, double b) { return std::min(a, b); }},
    {"or", 2, "1 if one is not 0", [](double a, double b) { return a != 0 || b != 0 ? 1. : 0.; }},
    {"pow", 2, "first to the power of the second",
     [](double a, double b) { return std::pow(a, b); }},
    {"round", 1, "nearest integer", [](double a, double) { return std::round(a); }},
    {"sqrt", 1, "square root", [](double a, double) { return std::sqrt(a); }},
}};

int arity_of(int op) {
  if (op == op_number || op == op_name) return 0;
  if (op == op_negate) return 1;
  if (op < op_first_function) return 2;
  return kFunctions[static_cast<std::size_t>(op - op_first_function)].arity;
}

// The remainder has the sign of the divisor, so that i % n is an index for every i.
double modulo(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

double apply(int op, double a, double b) {
  switch (op) {
    case op_negate:
      return -a;
    case op_add:
      return a + b;
    case op_subtract:
      return a - b;
    case op_multiply:
      return a * b;
    case op_divide:
      return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
    case op_modulo:
      return b == 0 ? std::numeric_limits<double>::quiet_NaN() : modulo(a, b);
    case op_power:
      return std::pow(a, b);
    case op_less:
      return a < b;
    case op_less_equal:
      return a <= b;
    case op_greater:
      return a > b;
    case op_greater_equal:
      return a >= b;
    case op_equal:
      return a == b;
    case op_not_equal:
      return a != b;
    default:
      return kFunctions[static_cast<std::size_t>(op - op_first_function)].call(a, b);
  }
}

std::string known_names(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names.empty() ? "there are none here"
                       : fmt::format("known here: {}", fmt::join(names, ", "));
}

}  // namespace

/// Recursive descent; each method leaves its operand's postfix at the end of steps_.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > kMaxLength)
      return fail(fmt::format("longer than {} characters", kMaxLength));
    WW_CHECK(comparison(0));
    skip_space();
    if (at_ < text_.size()) return fail(fmt::format("unexpected '{}'", text_[at_]));
    result_.text_ = std::string(text_);
    return std::move(result_);
  }

 private:
  Error fail(const std::string& what) const {
    return Error{fmt::format("expression '{}', column {}: {}", text_.substr(0, 80), at_ + 1, what)};
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void emit(int op, double number = 0, std::string name = {}) {
    result_.steps_.push_back({op, number, std::move(name)});
  }

  Status comparison(int depth) {
    static constexpr std::array<std::pair<std::string_view, int>, 6> kSigns = {
        {{"<=", op_less_equal},
         {">=", op_greater_equal},
         {"==", op_equal},
         {"!=", op_not_equal},
         {"<", op_less},
         {">", op_greater}}};
    WW_CHECK(sum(depth));
    for (const auto& [sign, op] : kSigns) {
      if (!accept(sign)) continue;
      WW_CHECK(sum(depth));
      emit(op);
      break;
    }
    return {};
  }
  Status sum(int depth) {
    WW_CHECK(product(depth));
    for (;;) {
      const int op = accept("+") ? op_add : accept("-") ? op_subtract : -1;
      if (op < 0) return {};
      WW_CHECK(product(depth));
      emit(op);
    }
  }
  Status product(int depth) {
    WW_CHECK(unary(depth));
    for (;;) {
      const int op = accept("*")   ? op_multiply
                     : accept("/") ? op_divide
                     : accept("%") ? op_modulo
                                   : -1;
      if (op < 0) return {};
      WW_CHECK(unary(depth));
      emit(op);
    }
  }
  Status unary(int depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    if (accept("-")) {
      WW_CHECK(unary(depth + 1));
      emit(op_negate);
      return {};
    }
    WW_CHECK(primary(depth));
    if (accept("^")) {  // binds tighter than a minus before it, and to the right
      WW_CHECK(unary(depth + 1));
      emit(op_power);
    }
    return {};
  }
  Status primary(int depth) {
    skip_space();
    if (at_ >= text_.size()) return fail("expected a number, a name or '(' but the text ends");
    const char c = text_[at_];
    if (accept("(")) {
      WW_CHECK(comparison(depth + 1));
      return accept(")") ? Status{} : Status{fail("expected ')'")};
    }
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return name_or_call(depth);
    return fail(fmt::format("expected a number, a name or '(' but found '{}'", c));
  }
  Status number() {
    double value = 0;
    const char* first = text_.data() + at_;
    const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), value);
    if (code != std::errc{}) return fail("not a number that a double can hold");
    at_ += static_cast<std::size_t>(end - first);
    emit(op_number, value);
    return {};
  }
  Status name_or_call(int depth) {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (text_[at_] == '_' || std::isalnum(static_cast<unsigned char>(text_[at_]))))
      ++at_;
    const auto name = text_.substr(start, at_ - start);
    if (!accept("(")) {
      if (name == "inf") {
        emit(op_number, std::numeric_limits<double>::infinity());
      } else if (!is_identifier(name)) {
        return fail("name too long");
      } else {
        emit(op_name, 0, std::string(name));
      }
      return {};
    }
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < kFunctions.size(); ++i) {
      known.push_back(kFunctions[i].name);
      if (kFunctions[i].name == name) return call(static_cast<int>(i), depth);
    }
    at_ = start;
    return fail(fmt::format("unknown function '{}'{}; known: {}", name, did_you_mean(name, known),
                            fmt::join(known, ", ")));
  }
  Status call(int index, int depth) {
    const auto& row = kFunctions[static_cast<std::size_t>(index)];
    for (int i = 0; i < row.arity; ++i) {
      if (i > 0 && !accept(","))
        return fail(fmt::format("{} takes {} values", row.name, row.arity));
      WW_CHECK(comparison(depth + 1));
    }
    if (!accept(")"))
      return fail(fmt::format("expected ')': {} takes {} value(s)", row.name, row.arity));
    emit(op_first_function + index);
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Expression result_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

Result<double> Expression::evaluate(const Values& values) const {
  std::vector<double> stack;
  for (const auto& step : steps_) {
    if (step.op == op_number) {
      stack.push_back(step.number);
      continue;
    }
    if (step.op == op_name) {
      const auto found = values.find(step.name);
      if (found == values.end()) {
        return Error{fmt::format("expression '{}': unknown name '{}'; {}", text_, step.name,
                                 known_names(values))};
      }
      stack.push_back(found->second);
      continue;
    }
    const int arity = arity_of(step.op);
    const double b = arity == 2 ? stack.back() : 0;
    if (arity == 2) stack.pop_back();
    const double a = stack.back();
    const double result = apply(step.op, a, b);
    if (std::isnan(result))
      return Error{fmt::format(
          "expression '{}' has no value: division by zero or outside a function's domain", text_)};
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
      return Error{fmt::format("expression '{}' overflows", text_)};
    stack.back() = result;
  }
  ASSERT(stack.size() == 1, "an expression leaves one value");
  return stack.back();
}

Result<std::int64_t> Expression::evaluate_integer(const Values& values) const {
  WW_TRY(const double value, evaluate(values));
  if (!(std::fabs(value) <= kMaxExact) || value != std::floor(value)) {
    return Error{fmt::format(
        "expression '{}' is {}, not an integer of at most 2^53; floor() or ceil() make one", text_,
        value)};
  }
  return static_cast<std::int64_t>(value);
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  for (const auto& step : steps_) {
    if (step.op == op_name) names.insert(step.name);
  }
  return names;
}

Result<double> value_of(std::string_view text, const Values& values) {
  WW_TRY(const auto expression, Expression::parse(text));
  return expression.evaluate(values);
}

const std::vector<ExpressionFunction>& expression_functions() {
  static const std::vector<ExpressionFunction> functions = [] {
    std::vector<ExpressionFunction> rows;
    for (const auto& row : kFunctions) rows.push_back({row.name, row.arity, row.meaning});
    return rows;
  }();
  return functions;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  const auto ok = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return std::all_of(text.begin(), text.end(), ok) && !(text[0] >= '0' && text[0] <= '9');
}

}  // namespace warpwright
