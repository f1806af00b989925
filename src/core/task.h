// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// Element types of buffers and scalars.
enum class ElementType : int {
  f32 = 0,
  i32 = 1,
  f16 = 2,
  bf16 = 3,
  f64 = 4,
  u32 = 5,
  i64 = 6,
  u8 = 7,
  i8 = 8
};

/// What `solve` does with an argument.
enum class ArgumentRole : int { input = 0, output = 1, inout = 2, scalar = 3 };

/// One parameter of `solve`, in its order.
struct TaskArgument {
  std::string name;
  ElementType type = ElementType::f32;
  ArgumentRole role = ArgumentRole::input;
  /// Buffers: number of elements, an expression over the size's values. Scalars: their value.
  std::string expression;
  /// Inputs: the named distribution used for timing, e.g. "normal(0, 1)".
  std::string distribution;
};

/// One problem size: a label and the values that expressions may name.
struct TaskSize {
  std::string label;
  std::map<std::string, double> values;
};

/// A named set of input distributions that validation adds to the timing one.
struct InputVariant {
  std::string name;
  std::map<std::string, std::string> distributions;  ///< argument name -> distribution
};

/// How outputs are compared with the float64 reference; the rules are listed in docs/tasks.md.
struct CheckRule {
  std::string rule;
  std::map<std::string, double> numbers;  ///< rtol, atol, alpha_rms, ...
  std::map<std::string, std::string> words;
};

/// A computation, complete enough to prompt for it, judge it and time it. Device-independent.
struct Task {
  std::string name;
  std::string title;
  std::string description;  ///< for the model, in our own words
  std::string signature;    ///< extern "C" void solve(...)
  std::vector<TaskArgument> arguments;
  std::vector<TaskSize> sizes;       ///< timed
  std::vector<TaskSize> edge_sizes;  ///< validated only
  std::vector<InputVariant> variants;
  CheckRule check;
  std::string bytes_expression;  ///< least traffic to and from memory
  std::string flops_expression;
  std::string lane = "strict";
  std::vector<std::string> rules;  ///< per-task rules by name
  std::string baseline_source;     ///< B1: speed-ups are measured against it
  std::string slow_source;         ///< B0: timing only, may be empty
  std::string reference_source;    ///< float64 reference, may be empty (then the baseline)
};

}  // namespace warpwright
