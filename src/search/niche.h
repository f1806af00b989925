// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

#include "search/trial.h"

namespace warpwright::search {

/// What kind of kernel this is, by what the judge saw. Kernels of one niche compete; kernels of
/// different niches are worth combining.
struct Niche {
  int kernels = 0;    ///< 1, 2, or 3 for more
  int shared = 0;     ///< of the largest kernel: none, up to 16 KiB, up to 48 KiB, more
  int registers = 0;  ///< of the largest kernel: up to 32, 64, 128, more
  bool tensor_cores = false;
  int limit = 0;  ///< share of the roofline: below a quarter, half, three quarters, more

  auto operator<=>(const Niche&) const = default;
};

/// Of a valid trial. Resources come from the judge; tensor cores are named in the source.
Niche niche_of(const Trial& trial);

}  // namespace warpwright::search
