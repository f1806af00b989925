// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "core/expression.h"
#include "exchange/torch_package.h"

namespace warpwright::exchange {

/// One call to test an exported kernel with.
struct TestCase {
  Values values;  ///< of the size, derived ones and scalars included
  Files inputs;   ///< test_input_NAME.bin of every input and inout
};

/// Where the test finds its inputs: written beside it, or in the folder above.
enum class InputsAt { here, above };

/// A Python package warpwright_NAME/ with the kernel of a task without a PyTorch module as an
/// operator of torch.library, and a README; with a case also test_NAME.py, which holds it against
/// the task's baseline, built as a second operator. Its arguments: the tensors that are given, in
/// the order of `solve`, its numbers, and the lengths of outputs that these do not give. `name` may
/// be another than the task's, so that two kernels of a task can be loaded together.
Result<Files> plain_package(const Winner& winner, const std::string& name, const TestCase* test,
                            InputsAt place);

}  // namespace warpwright::exchange
