// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace warpwright {

/// Prints where and why, then aborts. For our own mistakes only, in release builds too.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   std::string_view why);

}  // namespace warpwright

/// ASSERT(condition, why): a false condition is a bug of ours, never of a kernel or of the world.
#define ASSERT(condition, why)                                             \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::warpwright::assertion_failed(#condition, __FILE__, __LINE__, why); \
  } while (false)
