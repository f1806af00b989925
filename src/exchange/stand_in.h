// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright::exchange {

/// C++ that stands in for the headers of PyTorch and of tvm-ffi where a solution of others is
/// judged: tensors over the pointers of `solve`, checks that end the process, the default stream.
extern const char* const kStandIn;

}  // namespace warpwright::exchange
