// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "device/other_work.h"

namespace warpwright::reorder {

/// What a kernel meets while its results are compared. A schedule that is wrong may only show when
/// loads take longer, warps come in another order, or a part of the GPU is faster than another.
struct Disturbance {
  std::string_view name;
  bool cold = false;                 ///< the L2 cache is flushed before
  std::optional<device::Busy> busy;  ///< other work runs beside it
  int pause_ms = 0;                  ///< nothing runs for so long before: clocks go down
};

std::span<const Disturbance> disturbances();

/// Clock rates to hold while they are gone through, in shares of the highest; 0 = as it is.
std::span<const double> clock_shares();

}  // namespace warpwright::reorder
