// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/lower/lowering.h"

// Where a kernel's writes to global memory can go: the parameters and module variables that their
// addresses are computed from. Buffers that none of them points to are only read in a launch, and
// reads of those need no history for the race check.

namespace warpwright::simt {

/// One entry per address that is written through: the constants of the kernel that it comes from.
struct WriteOrigins {
  bool known = false;  ///< false: some address comes from memory or from a call
  std::vector<std::vector<std::uint32_t>> sites;
};

WriteOrigins find_write_origins(const LoweredKernel& k);

}  // namespace warpwright::simt
