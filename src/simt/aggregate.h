// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/state/worker.h"

namespace warpwright::simt {

/// What the workers of a launch saw, added up and tied to source lines.
LaunchReport aggregate(const LaunchState& s, const std::vector<Worker>& workers);

}  // namespace warpwright::simt
