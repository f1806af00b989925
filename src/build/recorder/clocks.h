// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ww_recorder {

/// Takes the system's clocks out of this process's memory, where they can be read without a call.
void forget_clocks();

/// From now on it is another time. Odd seeds live decades ahead.
void set_clock(std::uint64_t seed);

}  // namespace ww_recorder
