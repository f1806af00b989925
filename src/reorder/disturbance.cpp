// SPDX-License-Identifier: Apache-2.0
#include "reorder/disturbance.h"

#include <array>

namespace warpwright::reorder {

namespace {

constexpr auto kDisturbances = std::to_array<Disturbance>({
    {.name = "alone"},
    {.name = "cold cache", .cold = true},
    {.name = "memory traffic", .busy = device::Busy::memory},
    {.name = "busy multiprocessors", .busy = device::Busy::arithmetic},
    {.name = "cold cache and memory traffic", .cold = true, .busy = device::Busy::memory},
    {.name = "after a pause", .pause_ms = 20},
});

constexpr auto kClockShares = std::to_array<double>({0, 0.4, 0.7});

}  // namespace

std::span<const Disturbance> disturbances() { return kDisturbances; }
std::span<const double> clock_shares() { return kClockShares; }

}  // namespace warpwright::reorder
