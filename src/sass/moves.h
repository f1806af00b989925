// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sass/schedule.h"

namespace warpwright::sass {

/// Another schedule, and what was done to get it.
struct Proposal {
  Schedule schedule;
  std::string trait;  ///< what a policy may learn from: "up LDGSTS over HMMA"
};

/// One way to change a schedule. Nothing where it found no place.
struct Move {
  std::string_view name;
  std::string_view summary;
  std::optional<Proposal> (*propose)(const Kernel& kernel, const Schedule& from, Random& random);
};

/// swap, hoist, interleave, yield, restart, forecast.
std::span<const Move> moves();

}  // namespace warpwright::sass
