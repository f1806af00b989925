// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::evaluate {

/// How much memory one judgement may hold for what is made ahead of the device, and as much again
/// for results that wait to be checked: a share of the machine's that leaves room for several
/// judgements.
std::uint64_t memory_room();

}  // namespace warpwright::evaluate
