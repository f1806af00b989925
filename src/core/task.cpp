// SPDX-License-Identifier: Apache-2.0
#include "core/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "core/task_domains.h"

namespace warpwright {

namespace {

struct TypeRow {
  std::string_view name;
  std::string_view cuda;
  std::size_t bytes;
  bool floating;
};

// Indexed by the type's number.
constexpr std::array<TypeRow, kElementTypeCount> kTypes = {{
    {"f32", "float", 4, true},
    {"i32", "int", 4, false},
    {"f16", "__half", 2, true},
    {"bf16", "__nv_bfloat16", 2, true},
    {"f64", "double", 8, true},
    {"u32", "unsigned int", 4, false},
    {"i64", "long long", 8, false},
    {"u8", "unsigned char", 1, false},
    {"i8", "signed char", 1, false},
}};

constexpr std::array<std::string_view, kArgumentRoleCount> kRoles = {"input", "output", "inout",
                                                                     "scalar"};

constexpr std::string_view kCallingConvention = R"(
Conventions
* All pointers are device pointers to contiguous buffers of exactly the sizes above. Each buffer
  starts at a multiple of 256 bytes; rows inside it may start anywhere. Buffers do not overlap.
* Inputs are read-only and must hold the same bits afterwards.
* Output buffers hold arbitrary bits on entry. Every element must be written; nothing may be read
  from or added to an output before it has been set.
* Scalars are passed by value. Every combination of values that the ranges below and the description
  allow must work, not only round numbers.
{} The contents of device memory are not available to the host part.
* No libraries beyond {}. Nothing may be kept from one call for the next.
)";

constexpr std::string_view kOnDefaultStream =
    "* `solve` runs on the host, launches its work on the default stream and may return before the "
    "work\n  is done.";

constexpr std::string_view kOnCallersStream =
    "* `solve` runs on the host, launches its work on `stream`, which is its caller's, and may "
    "return "
    "before\n  the work is done. The inputs are made by earlier work on `stream`. Work on any "
    "other "
    "stream, the\n  default one included, must wait for `stream` and be joined to it by events "
    "(cudaEventRecord,\n  cudaStreamWaitEvent) before `solve` returns.";

/// "the CUDA runtime", or with the header-only libraries that are at hand.
std::string libraries_text(const Task& task) {
  if (task.build.include.empty()) return "the CUDA runtime";
  std::vector<std::string> names;
  for (const std::string& folder : task.build.include) {
    names.push_back(folder.substr(folder.find_last_of('/') + 1));
  }
  return fmt::format("the CUDA runtime and the header-only ones in the include path ({})",
                     fmt::join(names, ", "));
}

constexpr std::string_view kOneKernelRule =
    "* Exactly one `__global__` function; it may be launched several times, and cudaMemsetAsync is "
    "allowed.\n";

constexpr std::string_view kFullPrecision =
    "Arithmetic in single precision or better: no half, bfloat16, TF32 or FP8, no tensor cores.";

const TypeRow& row_of(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  ASSERT(index < kTypes.size(), "unknown element type");
  return kTypes[index];
}

}  // namespace

std::string_view name_of(ElementType type) { return row_of(type).name; }
std::string_view cuda_name(ElementType type) { return row_of(type).cuda; }
std::size_t bytes_of(ElementType type) { return row_of(type).bytes; }
bool is_floating(ElementType type) { return row_of(type).floating; }

std::string_view name_of(ArgumentRole role) {
  const auto index = static_cast<std::size_t>(role);
  ASSERT(index < kRoles.size(), "unknown role");
  return kRoles[index];
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::optional<ArgumentRole> argument_role_named(std::string_view name) {
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    if (kRoles[i] == name) return static_cast<ArgumentRole>(i);
  }
  return std::nullopt;
}

const std::vector<TaskRule>& known_task_rules() {
  static const std::vector<TaskRule> rules = {
      {"adjacent_exchange",
       "Elements may only be moved by compare-and-exchange of neighbours (bubble sort "
       "and its parallel form, odd-even transposition)."},
      {"no_copy_call",
       "The data must be moved by a kernel; cudaMemcpy and its relatives are not allowed."},
      {"mixed_precision",
       "Tensor cores and lower precisions may be used inside, for instance with numbers split into "
       "several TF32 or BF16 parts; the result must be as accurate as single-precision "
       "arithmetic. Tensor cores cut off what they add instead of rounding it: long sums should go "
       "over to float registers every hundred terms or so."},
  };
  return rules;
}

std::string signature_of(const Task& task) {
  std::vector<std::string> parameters;
  for (const auto& argument : task.arguments) {
    const auto type = cuda_name(argument.type);
    switch (argument.role) {
      case ArgumentRole::input:
        parameters.push_back(fmt::format("const {}* {}", type, argument.name));
        break;
      case ArgumentRole::output:
      case ArgumentRole::inout:
        parameters.push_back(fmt::format("{}* {}", type, argument.name));
        break;
      case ArgumentRole::scalar:
        parameters.push_back(fmt::format("{} {}", type, argument.name));
        break;
    }
  }
  if (task.stream) parameters.emplace_back("cudaStream_t stream");
  return fmt::format("extern \"C\" void solve({})", fmt::join(parameters, ", "));
}

bool has_rule(const Task& task, std::string_view name) {
  return std::find(task.rules.begin(), task.rules.end(), name) != task.rules.end();
}

bool has_half_arguments(const Task& task) {
  return std::any_of(task.arguments.begin(), task.arguments.end(), [](const auto& a) {
    return a.type == ElementType::f16 || a.type == ElementType::bf16;
  });
}

bool wants_full_precision(const Task& task) {
  return !has_half_arguments(task) && !has_rule(task, "mixed_precision");
}

std::vector<std::string_view> rule_sentences(const Task& task) {
  std::vector<std::string_view> sentences;
  if (wants_full_precision(task)) sentences.push_back(kFullPrecision);
  for (const auto& rule : known_task_rules()) {
    if (has_rule(task, rule.name)) sentences.push_back(rule.meaning);
  }
  return sentences;
}

std::string module_for_model(const Task& task) {
  if (task.torch.source.empty()) return {};
  return fmt::format(
      "\n{}:\n\n```python\n{}\n```\n",
      task.torch.backward ? "The module whose gradients are asked for" : "The module",
      trimmed(task.torch.source));
}

std::string description_for_model(const Task& task) {
  std::string text = task.description;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format(kCallingConvention, task.stream ? kOnCallersStream : kOnDefaultStream,
                      libraries_text(task));
  if (task.rule_set == "strict") text += kOneKernelRule;
  for (const auto sentence : rule_sentences(task)) text += fmt::format("* {}\n", sentence);
  return text + ranges_for_model(task) + module_for_model(task);
}

Result<Values> values_at(const Task& task, const TaskSize& size, const InputVariant* variant) {
  Values values = size.values;
  if (variant != nullptr) {
    for (const auto& [name, value] : variant->values) values[name] = value;
  }
  const Values given = values;
  for (const auto& [name, text] : task.derived) {
    WW_TRY(const double value, value_of(text, given));
    values[name] = value;
  }
  const Values known = values;
  for (const auto& argument : task.arguments) {
    if (is_buffer(argument) || values.contains(argument.name)) continue;
    WW_TRY(const double value, value_of(argument.expression, known));
    values[argument.name] = value;
  }
  return values;
}

Result<std::uint64_t> element_count(const TaskArgument& argument, const Values& values) {
  WW_TRY(const auto expression, Expression::parse(argument.expression));
  WW_TRY(const auto count, expression.evaluate_integer(values));
  if (count < 1 || count > (std::int64_t{1} << 40)) {
    return Error{
        fmt::format("'{}' would have {} elements; 1 to 2^40 are possible", argument.name, count)};
  }
  return static_cast<std::uint64_t>(count);
}

Result<double> scalar_value(const TaskArgument& argument, const Values& values) {
  const auto given = values.find(argument.name);
  double value = 0;
  if (given != values.end()) {
    value = given->second;
  } else {
    WW_TRY(value, value_of(argument.expression, values));
  }
  if (!is_floating(argument.type) &&
      (value != std::floor(value) || std::fabs(value) > 2147483647.0)) {
    return Error{fmt::format("'{}' is {}, not an int", argument.name, value)};
  }
  return value;
}

namespace {

Result<double> cost_of(const std::string& expression, std::string_view key, const Values& values) {
  if (expression == kCountedCost)
    return Error{
        fmt::format("cost.{} is \"auto\" and has not been counted from the baseline", key)};
  return value_of(expression, values);
}

}  // namespace

Result<double> least_bytes(const Task& task, const TaskSize& size) {
  WW_TRY(const auto values, values_at(task, size));
  return cost_of(task.bytes_expression, "bytes", values);
}

Result<double> flops(const Task& task, const TaskSize& size) {
  WW_TRY(const auto values, values_at(task, size));
  return cost_of(task.flops_expression, "flops", values);
}

Result<double> work(const Task& task, const TaskSize& size) {
  WW_TRY(const auto values, values_at(task, size));
  WW_TRY(const double least, cost_of(task.flops_expression, "flops", values));
  if (task.work_expression.empty()) return least;
  WW_TRY(const double own, value_of(task.work_expression, values));
  return std::max(least, own);
}

namespace {

template <class Chosen>
Result<std::uint64_t> bytes_of_buffers(const Task& task, const TaskSize& size, Chosen chosen) {
  WW_TRY(const auto values, values_at(task, size));
  std::uint64_t total = 0;
  for (const auto& argument : task.arguments) {
    if (!is_buffer(argument) || !chosen(argument)) continue;
    WW_TRY(const auto count, element_count(argument, values));
    total += count * bytes_of(argument.type);
  }
  return total;
}

}  // namespace

Result<std::uint64_t> footprint_bytes(const Task& task, const TaskSize& size) {
  return bytes_of_buffers(task, size, [](const TaskArgument&) { return true; });
}

Result<std::uint64_t> answer_bytes(const Task& task, const TaskSize& size) {
  return bytes_of_buffers(task, size,
                          [](const TaskArgument& a) { return a.role != ArgumentRole::input; });
}

Result<bool> applies(const Task& task, const InputVariant& variant, const TaskSize& size) {
  WW_TRY(const auto values, values_at(task, size));
  WW_TRY(const double yes, value_of(variant.when, values));
  return yes != 0;
}

CheckRule check_for(const Task& task, const InputVariant* variant) {
  if (variant == nullptr) return task.check;
  const auto& change = variant->check;
  if (!change.rule.empty() && change.rule != task.check.rule) return change;
  CheckRule merged = task.check;
  for (const auto& [name, text] : change.parameters) merged.parameters[name] = text;
  return merged;
}

CheckRule check_for(const Task& task, const InputVariant* variant, const TaskArgument& output) {
  return output.check.rule.empty() ? check_for(task, variant) : output.check;
}

std::string label_of(const Task& task, const Values& values) {
  std::vector<std::string> parts;
  for (const auto& argument : task.arguments) {
    auto found = values.find(argument.name);
    if (found == values.end()) found = values.find(argument.expression);
    if (argument.role == ArgumentRole::scalar && found != values.end())
      parts.push_back(fmt::format("{}={}", found->first, found->second));
  }
  if (parts.empty()) {
    for (const auto& [name, value] : values) parts.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

const TaskSize* size_labelled(const Task& task, std::string_view label) {
  for (const auto* list : {&task.sizes, &task.scale_sizes, &task.edge_sizes}) {
    for (const auto& size : *list) {
      if (size.label == label) return &size;
    }
  }
  return nullptr;
}

}  // namespace warpwright
