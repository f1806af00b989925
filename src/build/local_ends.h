// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::build {

/// PTX that nvcc made for debuggers (-G), with a trap before each access that leaves the local
/// variable whose address it was computed from. Where variables begin is what the debugger's tables
/// say; one ends where the next begins, or with the frame. Addresses that come out of memory, out
/// of another function or from one of several variables are not followed. Empty where the text has
/// no such access. An error: the text is no PTX that we can read.
Result<std::string> with_local_ends(std::string_view debug_ptx);

}  // namespace warpwright::build
