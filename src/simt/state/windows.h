// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::simt {

inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

/// Where the windows of the generic address space begin; everything else is global. On a GPU they
/// lie among the addresses of buffers, at multiples of 16 MiB, elsewhere in every process.
struct Windows {
  std::uint64_t shared = 0, local = 0, param = 0, function = 0;
};

/// Apart from each other and from the machine's global memory.
Windows draw_windows();

// Drawn when the process starts: device code that knows this text cannot tell by them where it
// runs.
inline const Windows kWindows = draw_windows();
inline const std::uint64_t kSharedWindow = kWindows.shared;
inline const std::uint64_t kLocalWindow = kWindows.local;
inline const std::uint64_t kParamWindow = kWindows.param;
inline const std::uint64_t kFunctionWindow = kWindows.function;

}  // namespace warpwright::simt
