// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ww_recorder {

/// Becomes one call's process: loads the library, asks for the call, makes it, says what was asked
/// of the device. Nothing of the candidate runs before the walls stand, and nothing of it knows the
/// call's arguments while it is loaded.
[[noreturn]] void run_call(const char* library_path, int in, int out, std::uint64_t seed);

}  // namespace ww_recorder
