// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/task.h"
#include "exchange/expression_text.h"

namespace warpwright::exchange {

/// A tensor of an operator: an argument of `solve`, its type and dimensions.
struct OperatorTensor {
  std::string name;
  std::string slot;  ///< which tensor of the module: "input 0", "parameter linear.weight"
  std::string type;  ///< torch's name: "float32"
  std::string cuda;  ///< "const float": what `solve` points to
  ArgumentRole role = ArgumentRole::input;
  std::vector<std::string> shape;  ///< expressions over the numbers
};

/// A number that `solve` or a shape needs: from a dimension of an input, or as it was judged.
struct OperatorNumber {
  std::string name;
  std::string tensor;  ///< empty: the text says it
  std::size_t dimension = 0;
  std::string text;
};

/// What must hold of the numbers, e.g. low <= n.
struct OperatorBound {
  std::string left;
  std::string sign;
  std::string right;
};

/// A task as an operator of PyTorch: tensors in, tensors out. Shapes are those that were judged.
struct Operator {
  std::string name;
  std::vector<OperatorTensor> tensors;  ///< in the order of `solve`
  std::vector<OperatorNumber> numbers;  ///< in the order in which they can be computed
  std::vector<OperatorBound> bounds;
  std::vector<std::string> call;  ///< of `solve`: a tensor's name, or "TYPE:EXPRESSION"
  bool stream = false;            ///< behind them, the caller's stream
};

/// An error where the task does not say the shape of a tensor.
Result<Operator> operator_of(const Task& task);

std::vector<const OperatorTensor*> given_tensors(const Operator& op);  ///< inputs and inouts
std::vector<const OperatorTensor*> made_tensors(const Operator& op);   ///< outputs

/// "at::kFloat" of "float32".
std::string at_type(const std::string& type);

}  // namespace warpwright::exchange
