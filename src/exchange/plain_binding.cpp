// SPDX-License-Identifier: Apache-2.0
// The texts of a plain operator's functions: C++ for the device, Python for shapes.
#include <fmt/format.h>

#include <algorithm>

#include "core/expression.h"
#include "exchange/expression_text.h"
#include "exchange/operator_of.h"
#include "exchange/plain_operator.h"
#include "exchange/torch_binding.h"

namespace warpwright::exchange {

namespace {

constexpr const char* kPlainHead = R"(
#include <limits>

namespace {

template <class T>
T ww_fits(std::int64_t value, const char* name) {
  TORCH_CHECK(value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                  (sizeof(T) == 8 || value <= static_cast<std::int64_t>(std::numeric_limits<T>::max())),
              std::string(name) + " is " + std::to_string(value) + ", which its type does not hold");
  return static_cast<T>(value);
}

[[maybe_unused]] std::int64_t ww_length(double count, const char* name) {
  TORCH_CHECK(count >= 0 && count == std::floor(count) && count < 9e15,
              std::string(name) + " would have " + ww_words(count) + " elements");
  return static_cast<std::int64_t>(count);
}

[[maybe_unused]] void ww_elements(const at::Tensor& tensor, const char* name, double count,
                                  const char* text) {
  TORCH_CHECK(static_cast<double>(tensor.numel()) == count,
              std::string(name) + " must have " + text + " = " + ww_words(count) +
                  " elements, it has " + std::to_string(tensor.numel()));
}

[[maybe_unused]] void ww_at_least(const at::Tensor& tensor, const char* name, double count,
                                  const char* text) {
  TORCH_CHECK(static_cast<double>(tensor.numel()) >= count,
              std::string(name) + " must have " + text + ", at least " + ww_words(count) +
                  " elements, it has " + std::to_string(tensor.numel()));
}

[[maybe_unused]] void ww_in_place(const at::Tensor& tensor, const char* name) {
  TORCH_CHECK(tensor.is_contiguous(),
              std::string(name) + " is changed in place and must be contiguous");
}

}  // namespace
)";

std::string cpp_parameters(const PlainOperator& op) {
  std::string list;
  const auto add = [&](const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  for (const auto* tensor : op.given()) add("const at::Tensor& ww_given_" + tensor->name);
  for (const auto& number : op.numbers)
    add((number.whole ? "std::int64_t ww_given_" : "double ww_given_") + number.name);
  for (const auto* tensor : op.lengths_given())
    add(fmt::format("std::int64_t ww_given_{}_count", tensor->name));
  return list;
}

/// The numbers as doubles, as expressions read them.
std::string cpp_numbers(const PlainOperator& op) {
  std::string lines;
  for (const auto& number : op.numbers)
    lines += fmt::format(
        "  [[maybe_unused]] const double {0} = static_cast<double>(ww_given_{0});\n", number.name);
  return lines;
}

Result<std::string> cpp_computed(const PlainOperator& op) {
  std::string lines;
  for (const auto& [name, text] : op.computed) {
    WW_TRY(const auto value, expression_text(text, Language::cpp));
    lines += fmt::format("  [[maybe_unused]] const double {} = {};\n", name, value);
  }
  return lines;
}

/// The conditions as one, in the words of a language.
Result<std::string> joined_conditions(const PlainBound& bound, Language language) {
  const bool cpp = language == Language::cpp;
  const char* separator = bound.one_is_enough ? (cpp ? " || " : " or ") : (cpp ? " && " : " and ");
  std::string text;
  for (const auto& condition : bound.conditions) {
    WW_TRY(const auto part, expression_text(condition, language));
    text += fmt::format("{}{}{}", text.empty() ? "" : separator, part, cpp ? " != 0" : "");
  }
  return text;
}

/// Bounds are checked before anything is computed, as a stride of 0 would be divided by. Only those
/// that name something computed come behind it.
enum class When { before, behind };
bool belongs(const PlainOperator& op, const PlainBound& bound, When when) {
  bool computed = false;
  for (const auto& condition : bound.conditions) {
    const auto parsed = Expression::parse(condition);
    for (const auto& [name, text] : op.computed)
      computed = computed || (parsed.ok() && parsed->names().contains(name));
  }
  return computed == (when == When::behind);
}

Result<std::string> cpp_bounds(const PlainOperator& op, When when) {
  std::string lines;
  for (const auto& bound : op.bounds) {
    if (!belongs(op, bound, when)) continue;
    WW_TRY(const auto condition, joined_conditions(bound, Language::cpp));
    lines += fmt::format(
        "  TORCH_CHECK({0}, \"{1} is \" + ww_words(static_cast<double>(ww_given_{1})) +\n"
        "                       \"; the kernel was judged for {2}\");\n",
        condition, bound.name, bound.words);
  }
  return lines;
}

/// Type, place and number of elements of what is given, then the tensor as the kernel takes it.
Result<std::string> cpp_given(const PlainOperator& op) {
  const std::string& first = op.given().front()->name;
  std::string checks;
  std::string ready;
  for (const auto* tensor : op.given()) {
    const std::string& name = tensor->name;
    checks += fmt::format("  ww_tensor(ww_given_{0}, \"{0}\", ww_given_{1}.device(), {2});\n", name,
                          first, at_type(tensor->type));
    WW_TRY(const auto count, expression_text(tensor->count, Language::cpp));
    if (tensor->counted) {
      checks += fmt::format("  ww_elements(ww_given_{0}, \"{0}\", {1}, \"{2}\");\n", name, count,
                            tensor->count);
    } else if (!tensor->least.empty()) {
      checks += "  {\n";
      for (const auto& [hidden, low] : tensor->least) {
        WW_TRY(const auto value, expression_text(low, Language::cpp));
        checks += fmt::format("    const double {} = {};\n", hidden, value);
      }
      checks += fmt::format("    ww_at_least(ww_given_{0}, \"{0}\", {1}, \"{2}\");\n  }}\n", name,
                            count, tensor->count);
    }
    if (tensor->role == ArgumentRole::inout)
      checks += fmt::format("  ww_in_place(ww_given_{0}, \"{0}\");\n", name);
    ready += fmt::format("  const at::Tensor ww_tensor_{0} = ww_ready(ww_given_{0});\n", name);
  }
  return checks + ready;
}

Result<std::string> cpp_made(const PlainOperator& op) {
  const std::string& first = op.given().front()->name;
  std::string lines;
  for (const auto* tensor : op.made()) {
    std::string count = fmt::format("static_cast<double>(ww_given_{}_count)", tensor->name);
    if (tensor->counted) {
      WW_TRY(count, expression_text(tensor->count, Language::cpp));
    }
    lines += fmt::format(
        "  const at::Tensor ww_tensor_{0} = ww_empty({{ww_length({1}, \"{0}\")}}, {2}, "
        "ww_given_{3}.device());\n",
        tensor->name, count, at_type(tensor->type), first);
  }
  return lines;
}

const PlainNumber* number_named(const PlainOperator& op, const std::string& name) {
  const auto found = std::find_if(op.numbers.begin(), op.numbers.end(),
                                  [&](const auto& number) { return number.name == name; });
  return found == op.numbers.end() ? nullptr : &*found;
}

std::string cpp_call(const PlainOperator& op, const std::string& solve) {
  std::string list;
  for (const auto& name : op.order) {
    list += list.empty() ? "" : ", ";
    const auto* number = number_named(op, name);
    if (number == nullptr)
      list += fmt::format("ww_tensor_{}.data_ptr()", name);
    else if (number->whole)
      list += fmt::format("ww_fits<{0}>(ww_given_{1}, \"{1}\")", number->cuda, name);
    else
      list += fmt::format("static_cast<{}>(ww_given_{})", number->cuda, name);
  }
  if (op.stream) list += ", caller_stream";
  return fmt::format("  {}({});\n", solve, list);
}

std::string cpp_declaration(const PlainOperator& op, const std::string& solve) {
  std::string list;
  for (const auto& name : op.order) {
    const auto* number = number_named(op, name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", number ? number->cuda : "void*");
  }
  if (op.stream) list += ", cudaStream_t";
  return fmt::format("extern \"C\" void {}({});\n", solve, list);
}

std::string cpp_return(const PlainOperator& op) {
  std::string list;
  for (const auto* tensor : op.made())
    list += fmt::format("{}ww_tensor_{}", list.empty() ? "" : ", ", tensor->name);
  if (op.made().empty()) return "";
  return op.made().size() == 1 ? fmt::format("  return {};\n", list)
                               : fmt::format("  return std::make_tuple({});\n", list);
}

/// A misaligned tensor that is changed in place was copied: its content goes back.
std::string cpp_back(const PlainOperator& op) {
  std::string lines;
  for (const auto* tensor : op.given())
    if (tensor->role == ArgumentRole::inout)
      lines += fmt::format(
          "  if (!ww_tensor_{0}.is_same(ww_given_{0})) ww_given_{0}.copy_(ww_tensor_{0});\n",
          tensor->name);
  return lines;
}

Result<std::string> python_bounds(const PlainOperator& op, When when) {
  std::string lines;
  for (const auto& bound : op.bounds) {
    if (!belongs(op, bound, when)) continue;
    WW_TRY(const auto condition, joined_conditions(bound, Language::python));
    lines +=
        fmt::format("    _holds({0}, \"{1}\", {1}, \"{2}\")\n", condition, bound.name, bound.words);
  }
  return lines;
}

Result<std::string> python_numbers(const PlainOperator& op) {
  WW_TRY(std::string lines, python_bounds(op, When::before));
  for (const auto& [name, text] : op.computed) {
    WW_TRY(const auto value, expression_text(text, Language::python));
    lines += fmt::format("    {} = {}\n", name, value);
  }
  WW_TRY(const auto more, python_bounds(op, When::behind));
  return lines + more;
}

Result<std::string> python_checks(const PlainOperator& op) {
  WW_TRY(std::string lines, python_numbers(op));
  for (const auto* tensor : op.given()) {
    WW_TRY(const auto count, expression_text(tensor->count, Language::python));
    lines += fmt::format("    _type({0}, \"{0}\", torch.{1})\n", tensor->name, tensor->type);
    if (tensor->counted) {
      lines += fmt::format("    _elements({0}, \"{0}\", _whole({1}), \"{2}\")\n", tensor->name,
                           count, tensor->count);
    } else if (!tensor->least.empty()) {
      std::string names;
      std::string values;
      for (const auto& [hidden, low] : tensor->least) {
        WW_TRY(const auto value, expression_text(low, Language::python));
        names += (names.empty() ? "" : ", ") + hidden;
        values += (values.empty() ? "" : ", ") + value;
      }
      lines += fmt::format("    _at_least({0}, \"{0}\", (lambda {1}: {2})({3}), \"{4}\")\n",
                           tensor->name, names, count, values, tensor->count);
    }
    if (tensor->role == ArgumentRole::inout)
      lines += fmt::format("    _in_place({0}, \"{0}\")\n", tensor->name);
  }
  return lines;
}

}  // namespace

std::string plain_binding_head() { return kPlainHead; }

Result<std::string> plain_binding(const PlainOperator& op, const std::string& name,
                                  const std::string& solve) {
  WW_TRY(const auto before, cpp_bounds(op, When::before));
  WW_TRY(const auto computed, cpp_computed(op));
  WW_TRY(const auto behind, cpp_bounds(op, When::behind));
  WW_TRY(const auto given, cpp_given(op));
  WW_TRY(const auto made, cpp_made(op));
  return fmt::format(
      "\n{}\nnamespace ww_operators {{\n{} call_{}({}) {{\n"
      "  const c10::cuda::CUDAGuard ww_guard(ww_given_{}.device());\n{}{}{}{}{}{}"
      "  caller_stream = c10::cuda::getCurrentCUDAStream().stream();\n{}{}{}}}\n"
      "}}  // namespace ww_operators\n",
      cpp_declaration(op, solve), returned_type(op.made().size()), name, cpp_parameters(op),
      op.given().front()->name, cpp_numbers(op), before, computed, behind, given, made,
      cpp_call(op, solve), cpp_back(op), cpp_return(op));
}

Result<std::string> plain_shape_function(const PlainOperator& op, const std::string& name) {
  WW_TRY(const auto checks, python_checks(op));
  std::string results;
  for (const auto* tensor : op.made()) {
    std::string count = tensor->name + "_count";
    if (tensor->counted) {
      WW_TRY(count, expression_text(tensor->count, Language::python));
    }
    results += fmt::format("((_whole({}),), torch.{}), ", count, tensor->type);
  }
  return fmt::format("def {}({}):\n{}    return [{}]\n", name, parameter_names(op), checks,
                     results);
}

}  // namespace warpwright::exchange
