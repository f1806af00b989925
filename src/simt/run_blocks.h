// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/state/worker.h"

namespace warpwright::simt {

/// How many blocks of a launch the host has room for at one time.
std::uint64_t most_resident(const Kernel& k, const Launch& l);

/// Runs the blocks of a launch in the order that its schedule says, one worker per host thread.
void run_all(LaunchState& s, std::vector<Worker>& workers);

}  // namespace warpwright::simt
