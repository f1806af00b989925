// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/check_rule.h"
#include "core/element_type.h"
#include "core/expression.h"

namespace warpwright {

/// What `solve` does with an argument.
enum class ArgumentRole : int { input = 0, output = 1, inout = 2, scalar = 3 };
inline constexpr int kArgumentRoleCount = 4;

/// One parameter of `solve`, in its order.
struct TaskArgument {
  std::string name;
  ElementType type = ElementType::f32;
  ArgumentRole role = ArgumentRole::input;
  /// Buffers: number of elements, an expression over the size's values. Scalars: their value.
  std::string expression;
  /// Inputs and inouts: the distribution used for timing, e.g. "normal(0, 1)".
  std::string distribution;
  /// Inputs and inouts: what their elements may hold, a Domain, or "any" for any bits. Empty: only
  /// what the distributions of the task make.
  std::string range;
  /// Outputs and inouts: how this one is compared; without a rule, as the task says.
  CheckRule check;
  /// Buffers of tasks with a reference.py: which tensor of the module this is, e.g. "input 0",
  /// "parameter linear.weight", "output", "grad_input 0".
  std::string torch;

  bool operator==(const TaskArgument&) const = default;
};

/// One problem size: a label and the values that expressions may name.
struct TaskSize {
  std::string label;
  Values values;
  double weight = 1;  ///< how much it counts in scores, e.g. how often the shape occurs

  bool operator==(const TaskSize&) const = default;
};

/// A named set of inputs that validation adds to the timing ones.
struct InputVariant {
  std::string name;
  std::string when = "1";                     ///< used at the sizes where this is not 0
  std::map<std::string, std::string> inputs;  ///< argument -> distribution; others as timed
  Values values;                              ///< replaces values of the size
  CheckRule check;                            ///< replaces or adjusts the task's; may be empty

  bool operator==(const InputVariant&) const = default;
};

/// A reference that is a PyTorch module: reference.py and how it is called (docs/torch.md).
struct TorchModule {
  std::string source;            ///< empty: the task has none
  std::string mode = "train";    ///< or "eval"
  bool backward = false;         ///< outputs are gradients
  std::string shapes = "fixed";  ///< or "general": kernels work at all sizes of the domains
  std::string python;            ///< the interpreter; empty = the one that has torch

  bool operator==(const TorchModule&) const = default;
};

/// Header-only libraries (CUTLASS, CuTe) that candidates may include.
struct BuildRules {
  std::vector<std::string> include;  ///< folders, absolute; readable while a candidate is compiled
  bool libraries = true;             ///< whether --include may name more

  bool operator==(const BuildRules&) const = default;
};

/// A computation, complete enough to prompt for it, judge it and time it. Device-independent.
struct Task {
  std::string name;
  std::string title;
  std::string group;        ///< of built-in tasks: empty = the paper's 20, "extension" = more
  std::string description;  ///< for the model, in our own words
  std::vector<TaskArgument> arguments;
  std::map<std::string, std::string> derived;  ///< name -> expression over the size's values
  std::vector<TaskSize> sizes;                 ///< timed
  std::vector<TaskSize> scale_sizes;           ///< timed on request: large enough for any device
  std::vector<TaskSize> edge_sizes;            ///< validated only
  /// Name -> Domain: which values the sizes' values and the scalars may have; the judge draws some.
  /// Empty in tasks that were stored before there were domains: nothing is drawn then.
  std::map<std::string, std::string> domain;
  std::vector<InputVariant> variants;
  CheckRule check;
  std::string bytes_expression;  ///< least traffic to and from memory
  std::string flops_expression;
  std::string work_expression;          ///< what a simple kernel does; empty: as much as the flops
  std::string rule_set = "strict";      ///< "strict": one kernel function; "free": any number
  std::vector<std::string> rules;       ///< per-task rules by name, see known_task_rules()
  std::string baseline_source;          ///< B1: speed-ups are measured against it
  std::string slow_source;              ///< B0: timing only, may be empty
  std::string reference_source;         ///< float64 reference, may be empty (then the baseline)
  std::string device_reference_source;  ///< the same as kernels, may be empty
  TorchModule torch;                    ///< or the reference is this module
  bool stream = false;  ///< solve has a last parameter `cudaStream_t stream`, the caller's
  BuildRules build;

  bool operator==(const Task&) const = default;
};

std::string_view name_of(ElementType type);   ///< "f32"
std::string_view name_of(ArgumentRole role);  ///< "input"
std::optional<ElementType> element_type_named(std::string_view name);
std::optional<ArgumentRole> argument_role_named(std::string_view name);
std::size_t bytes_of(ElementType type);
std::string_view cuda_name(ElementType type);  ///< "float"
bool is_floating(ElementType type);
inline bool is_half(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16;
}
inline bool is_buffer(const TaskArgument& argument) {
  return argument.role != ArgumentRole::scalar;
}

struct TaskRule {
  std::string_view name;
  std::string_view meaning;  ///< a sentence for the model
};
const std::vector<TaskRule>& known_task_rules();

bool has_rule(const Task& task, std::string_view name);

/// What a cost is written as that is counted from the baseline (costs/counted.h).
inline constexpr std::string_view kCountedCost = "auto";
/// Whether a cost is still to be counted: until then least_bytes(), flops() or work() is an error.
inline bool has_counted_costs(const Task& task) {
  return task.bytes_expression == kCountedCost || task.flops_expression == kCountedCost;
}

/// Whether there is a reference on the host: else the baseline stands in for it.
inline bool has_reference(const Task& task) {
  return !task.reference_source.empty() || !task.torch.source.empty();
}

/// Whether any argument is of a 16-bit floating-point type.
bool has_half_arguments(const Task& task);

/// No arithmetic below single precision: where no argument is of a lower one and the rule
/// mixed_precision does not allow it.
bool wants_full_precision(const Task& task);

/// The task's rules in sentences for the model, the implied ones included.
std::vector<std::string_view> rule_sentences(const Task& task);

/// `extern "C" void solve(const float* input, float* output, int rows, int cols)`
std::string signature_of(const Task& task);

/// All that the model is told of the computation: the description, the calling convention that all
/// tasks share, and the rules of the rule set and of the task.
std::string description_for_model(const Task& task);
/// The PyTorch module that a task asks for, in a fence; empty where it is none.
std::string module_for_model(const Task& task);

/// All that expressions may name at this size: its values, the variant's, the derived ones and the
/// scalars.
Result<Values> values_at(const Task& task, const TaskSize& size,
                         const InputVariant* variant = nullptr);

Result<std::uint64_t> element_count(const TaskArgument& argument, const Values& values);
Result<double> scalar_value(const TaskArgument& argument, const Values& values);
Result<double> least_bytes(const Task& task, const TaskSize& size);
Result<double> flops(const Task& task, const TaskSize& size);

/// Operations of a simple kernel, no less than the flops: what limits on work go by.
Result<double> work(const Task& task, const TaskSize& size);

/// All buffers together, and those that a call writes.
Result<std::uint64_t> footprint_bytes(const Task& task, const TaskSize& size);
Result<std::uint64_t> answer_bytes(const Task& task, const TaskSize& size);

/// Whether the variant is meant for this size.
Result<bool> applies(const Task& task, const InputVariant& variant, const TaskSize& size);

/// The task's rule with the variant's changes.
CheckRule check_for(const Task& task, const InputVariant* variant);

/// The rule of one output: its own, which no variant changes, else the task's with the changes.
CheckRule check_for(const Task& task, const InputVariant* variant, const TaskArgument& output);

/// Names that distributions and tolerances may use beside the values of a size: evenly spread in
/// [0, 1), drawn anew for every call.
inline constexpr std::array<std::string_view, 4> kDrawnNames = {"u1", "u2", "u3", "u4"};

/// "N=7413,k=32": of a size that has no label of its own, in the order of the arguments that its
/// values feed.
std::string label_of(const Task& task, const Values& values);

/// The timed, scale-up or edge size of that label; none when there is no such.
const TaskSize* size_labelled(const Task& task, std::string_view label);

/// What is wrong with a task and where, as a path: {"argument[1].count", "..."}.
struct TaskProblem {
  std::string where;
  std::string what;
};

/// Whether a task must have domains. Only ones that were stored long ago may do without.
enum class Domains { required, optional };

/// Names, expressions at every size, distributions, domains, rules: everything but the sources'
/// meaning.
std::optional<TaskProblem> find_problem(const Task& task, Domains domains = Domains::required);

}  // namespace warpwright
