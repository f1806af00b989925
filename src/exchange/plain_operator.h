// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::exchange {

/// A buffer of `solve` as a tensor of any shape with the right number of elements.
struct PlainTensor {
  std::string name;
  std::string type;  ///< torch's name: "float16"
  ArgumentRole role = ArgumentRole::input;
  std::string count;     ///< of elements, as the task writes it
  bool counted = false;  ///< the caller's numbers give the count
  /// Where they do not: values, by name, at which the count is the least that can be. Empty:
  /// nothing is known.
  std::vector<std::pair<std::string, std::string>> least;
};

/// A number that the caller gives: a scalar of `solve`.
struct PlainNumber {
  std::string name;
  std::string cuda;  ///< "int"
  bool whole = true;
};

/// What a number must hold: conditions, expressions of the task's kind, and the words for it.
struct PlainBound {
  std::string name;
  std::string words;
  std::vector<std::string> conditions;
  bool one_is_enough = false;  ///< else all of them
};

/// A task without a PyTorch module as an operator: tensors and numbers in, flat tensors out.
struct PlainOperator {
  std::string name;
  std::vector<PlainTensor> tensors;                           ///< in the order of `solve`
  std::vector<PlainNumber> numbers;                           ///< in the order of `solve`
  std::vector<std::pair<std::string, std::string>> computed;  ///< name, expression: from numbers
  std::vector<PlainBound> bounds;
  std::vector<std::string> order;  ///< of `solve`: names of tensors and numbers
  bool stream = false;             ///< behind them, the caller's stream

  [[nodiscard]] std::vector<const PlainTensor*> given() const;  ///< inputs and inouts
  [[nodiscard]] std::vector<const PlainTensor*> made() const;   ///< outputs
  /// Outputs whose length the caller gives, behind the numbers, as NAME_count.
  [[nodiscard]] std::vector<const PlainTensor*> lengths_given() const;
};

/// An error where a task can be no operator: nothing is given to it, a scalar is of a half type, or
/// a name is a word of Python.
Result<PlainOperator> plain_operator_of(const Task& task);

/// "(Tensor q, Tensor(a!) k, int B) -> Tensor": the operator's schema, without its name.
std::string schema_of(const PlainOperator& op);

/// What stands before plain_binding(), behind binding_head() (torch_binding.h).
std::string plain_binding_head();

/// A C++ function call_NAME of ATen tensors and numbers, in a namespace ww_operators: it checks
/// types, counts and bounds, makes the outputs, and calls `solve` (named SOLVE, in another file) on
/// the caller's stream.
Result<std::string> plain_binding(const PlainOperator& op, const std::string& name,
                                  const std::string& solve);

/// Python: `def NAME(tensors, numbers)` gives the outputs' lengths and types, or raises ValueError.
Result<std::string> plain_shape_function(const PlainOperator& op, const std::string& name);

/// "q, k, B, out_count": the names of all parameters.
std::string parameter_names(const PlainOperator& op);

}  // namespace warpwright::exchange
