// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "exchange/operator_of.h"

namespace warpwright::exchange {

/// "(Tensor x, Tensor(a!) y) -> Tensor": the operator's schema, without its name.
std::string schema_of(const Operator& op);

/// "at::Tensor": the C++ type of that many outputs.
std::string returned_type(std::size_t outputs);

/// Where `solve` is: in another file, which the linker finds, or above in the same one.
enum class KernelPlace { other_file, same_file };

/// A C++ function NAME of ATen tensors that checks types and shapes, makes the outputs, and calls
/// `solve` (named SOLVE) on the caller's stream. Strided or misaligned inputs are copied.
Result<std::string> binding_function(const Operator& op, const std::string& solve,
                                     KernelPlace place);

/// What stands before such functions: includes and helpers, and the default stream's stand-ins.
std::string binding_head();

/// Calls of the runtime that the linker turns to our stand-ins, e.g. "cudaMemset".
const std::vector<std::string>& wrapped_calls();

/// Python: `def _shapes(x, y)` gives the outputs' shapes, or raises ValueError.
Result<std::string> shape_function(const Operator& op, const std::string& name);

}  // namespace warpwright::exchange
