// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ww_recorder {

/// Becomes a process that makes calls: loads the library, asks for a call, makes it, says what was
/// asked of the device, and so on until nobody wants one more. Nothing of the candidate runs before
/// the walls stand, and nothing of it knows the arguments of a call before it is made.
[[noreturn]] void run_call(const char* library_path, int in, int out, std::uint64_t seed);

}  // namespace ww_recorder
