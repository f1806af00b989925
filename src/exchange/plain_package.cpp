// SPDX-License-Identifier: Apache-2.0
#include "exchange/plain_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "exchange/beside_baseline.h"
#include "exchange/package_texts.h"
#include "exchange/plain_operator.h"
#include "exchange/plain_texts.h"
#include "exchange/text_marks.h"
#include "exchange/torch_binding.h"

namespace warpwright::exchange {

namespace {

/// For a string of Python, which quotes and backslashes must not end or change.
std::string comment_text(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (c == '\\' || c == '@' || c == '\n') c = ' ';
  }
  return text;
}

std::string python_number(const PlainNumber& number, double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  return number.whole ? fmt::format("{:.0f}", value) : fmt::format("float({})", value);
}

const PlainBound* bound_of(const PlainOperator& op, const std::string& name) {
  const auto found = std::find_if(op.bounds.begin(), op.bounds.end(),
                                  [&](const auto& bound) { return bound.name == name; });
  return found == op.bounds.end() ? nullptr : &*found;
}

const TaskArgument& argument_named(const Task& task, const std::string& name) {
  return *std::find_if(task.arguments.begin(), task.arguments.end(),
                       [&](const auto& argument) { return argument.name == name; });
}

/// Lines of the function's documentation: one per parameter.
std::string argument_words(const Task& task, const PlainOperator& op) {
  std::string lines;
  for (const auto* tensor : op.given()) {
    lines += fmt::format("    {}: {} tensor of any shape with {} elements", tensor->name,
                         tensor->type, tensor->count);
    const std::string& range = argument_named(task, tensor->name).range;
    if (!range.empty() && range != "any") lines += fmt::format(", each in {}", range);
    lines += tensor->role == ArgumentRole::inout ? "; contiguous, changed in place\n" : "\n";
  }
  for (const auto& number : op.numbers) {
    const auto* bound = bound_of(op, number.name);
    lines += fmt::format("    {}: {}{}\n", number.name, number.whole ? "int" : "float",
                         bound == nullptr ? "" : ", " + bound->words);
  }
  for (const auto* tensor : op.lengths_given())
    lines += fmt::format("    {0}_count: int, how many elements '{0}' has: {1}\n", tensor->name,
                         tensor->count);
  if (!lines.empty()) lines.pop_back();
  return lines;
}

std::string return_words(const PlainOperator& op) {
  const auto made = op.made();
  if (made.empty()) return "Returns nothing.";
  std::string list;
  for (const auto* tensor : made)
    list += fmt::format("{}{} ({}, {} elements)", list.empty() ? "" : ", ", tensor->name,
                        tensor->type, tensor->count);
  return fmt::format("Returns {}, flat: {}.", made.size() == 1 ? "a new tensor" : "new tensors",
                     list);
}

/// "out = topk(input, N, k)"
std::string example_of(const PlainOperator& op, const std::string& name) {
  std::string results;
  for (const auto* tensor : op.made()) results += (results.empty() ? "" : ", ") + tensor->name;
  return fmt::format("{}{}{}({})", results, results.empty() ? "" : " = ", name,
                     parameter_names(op));
}

/// The definitions of the operator and of its baseline, and their shapes, which are the same.
Result<std::string> plain_definitions(const PlainOperator& op, const std::string& name,
                                      bool baseline) {
  WW_TRY(const auto shapes, plain_shape_function(op, "_shapes"));
  std::string text = fmt::format(
      "{0}\n\ndef _meta({1}):\n    made = _shapes({1})\n"
      "    return _empty({2}, made) if made else None\n\n\n",
      shapes, parameter_names(op), op.given().front()->name);
  for (const std::string& one : {name, name + "_baseline"}) {
    if (one != name && !baseline) continue;
    text += fmt::format("_LIBRARY.define(\"{0}{1}\")\n_LIBRARY.impl(\"{0}\", _meta, \"Meta\")\n",
                        one, schema_of(op));
  }
  return text + "\n";
}

/// binding.cpp: the kernel's function, the baseline's, and their registration.
Result<std::string> plain_binding_text(const PlainOperator& op, const std::string& name,
                                       bool baseline) {
  std::string text = "// Made by Warpwright: the operators' CUDA functions.\n" + binding_head() +
                     plain_binding_head();
  std::string rows;
  for (const std::string& one : {name, name + "_baseline"}) {
    if (one != name && !baseline) continue;
    WW_TRY(const auto function, plain_binding(op, one, one + "_solve"));
    text += function;
    rows += fmt::format("  m.impl(\"{0}\", &ww_operators::call_{0});\n", one);
  }
  return text + fmt::format("\nTORCH_LIBRARY_IMPL(warpwright_{}, CUDA, m) {{\n{}}}\n", name, rows);
}

std::string under_name(const std::string& source, const std::string& name) {
  return fmt::format("#define solve {}_solve\n{}\n#undef solve\n", name, source);
}

/// In a namespace: its kernels may be called like the other's.
std::string baseline_text(const Task& task, const std::string& name) {
  return fmt::format(
      "{0}#define solve {1}_baseline_solve\nnamespace {1}_baseline {{\n{2}\n}}\n"
      "#undef solve\n",
      hoisted_includes(task.baseline_source), name, task.baseline_source);
}

Result<std::string> plain_test_text(const Task& task, const PlainOperator& op,
                                    const TestCase& test) {
  std::string tensors, numbers, outputs, near;
  const auto add = [](std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  const auto nearness_of = [&](const PlainTensor& tensor) {
    const Nearness room = nearness(task, argument_named(task, tensor.name));
    add(near, fmt::format("\"{}\": ({}, {}, {})", tensor.name, room.relative, room.absolute,
                          room.bits ? "True" : "False"));
  };
  for (const auto* tensor : op.given()) {
    const bool changed = tensor->role == ArgumentRole::inout;
    add(tensors, fmt::format("(\"{}\", torch.{}, {})", tensor->name, tensor->type,
                             changed ? "True" : "False"));
    if (changed) nearness_of(*tensor);
  }
  for (const auto& number : op.numbers) {
    WW_TRY(const double value, scalar_value(argument_named(task, number.name), test.values));
    add(numbers, python_number(number, value));
  }
  for (const auto* tensor : op.made()) {
    WW_TRY(const auto count, element_count(argument_named(task, tensor->name), test.values));
    add(outputs, fmt::format("(\"{}\", {}, torch.{})", tensor->name, count, tensor->type));
    if (!tensor->counted) add(numbers, std::to_string(count));
    nearness_of(*tensor);
  }
  return with_marks(kPlainTest, {{"TENSORS", tensors},
                                 {"NUMBERS", numbers},
                                 {"OUTPUTS", outputs},
                                 {"NEAR", near},
                                 {"COUNTED", op.given().front()->counted ? "True" : "False"}});
}

std::string plain_readme(const Winner& winner, const PlainOperator& op, const std::string& name,
                         bool with_test) {
  std::string text = fmt::format(
      "# {0}\n\n{1} as an operator of PyTorch: `torch.ops.warpwright_{0}.{0}`.\n\n"
      "```\nfrom warpwright_{0} import {0}\n{2}\n```\n\n{3}\n{4}\n\n",
      name, winner.task.title, example_of(op, name), argument_words(winner.task, op),
      "    " + return_words(op));
  if (with_test)
    text += fmt::format(
        "`python test_{}.py` holds it against the task's baseline{}.\n", name,
        winner.task.baseline_source.empty() ? ", of which there is none: it only runs" : "");
  text +=
      "The first import builds it and needs nvcc and ninja; on a machine without CUDA only shapes "
      "work.\n\nTensors may have any shape with the right number of elements. Strided inputs are "
      "copied; what is changed in place\nmust be contiguous. Types, counts and the task's domains "
      "are checked: what was not judged raises an error. It\nworks on the caller's stream, and "
      "under `torch.compile`. It has no gradient.\n";
  if (!winner.measured.empty()) text += "\n## Measured\n\n" + winner.measured + "\n";
  return text;
}

std::string identifier_of(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    name = "task_" + name;
  return name;
}

}  // namespace

Result<Files> plain_package(const Winner& winner, const std::string& wanted_name,
                            const TestCase* test, InputsAt place) {
  const Task& task = winner.task;
  const std::string name = identifier_of(wanted_name);
  const std::string space = "warpwright_" + name;
  const bool baseline = !task.baseline_source.empty();
  WW_TRY(const auto op, plain_operator_of(task));
  const std::string wrapped = python_list(wrapped_calls());
  const std::map<std::string, std::string> marks = {
      {"NAME", name},
      {"SPACE", space},
      {"TITLE", comment_text(task.title)},
      {"EXAMPLE", example_of(op, name)},
      {"PARAMETERS", parameter_names(op)},
      {"ARGUMENTS", argument_words(task, op)},
      {"RETURNS", return_words(op)},
      {"ASSEMBLY", has_assembly(winner.source + task.baseline_source) ? "True" : "False"},
      {"CUDA_FLAGS", "*_flags()"},
      {"WRAPPED", wrapped.substr(1, wrapped.size() - 2)},
      {"SOURCES", baseline ? "\"binding.cpp\", \"kernel.cu\", \"baseline.cu\""
                           : "\"binding.cpp\", \"kernel.cu\""},
      {"BASELINE", baseline ? fmt::format("torch.ops.{}.{}_baseline.default", space, name)
                            : std::string("None")}};
  WW_TRY(const std::string definitions, plain_definitions(op, name, baseline));
  Files files;
  files[space + "/__init__.py"] =
      with_marks(std::string(kPlainTitle) + kPackageHead + kPlainHelpers + definitions +
                     kPackageLoad + kPlainFunction,
                 marks);
  WW_TRY(files[space + "/binding.cpp"], plain_binding_text(op, name, baseline));
  files[space + "/kernel.cu"] = under_name(winner.source, name);
  if (baseline) files[space + "/baseline.cu"] = baseline_text(task, name);
  files["README.md"] = plain_readme(winner, op, name, test != nullptr);
  if (test == nullptr) return files;
  WW_TRY(const auto text, plain_test_text(task, op, *test));
  files["test_" + name + ".py"] = with_marks(text, marks);
  if (place == InputsAt::here) files.insert(test->inputs.begin(), test->inputs.end());
  return files;
}

}  // namespace warpwright::exchange
