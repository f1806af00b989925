// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "evaluate/explain.h"

namespace warpwright::evaluate {

/// Memory traffic of one kind on one line, scaled to the whole grid.
struct LineAccess {
  double requests = 0, bytes = 0, sectors = 0;
  double wavefronts = 0, ideal_wavefronts = 0;
};

/// All counters of one line of the candidate, over all launches, scaled to the whole grid.
struct LineFacts {
  double executions = 0;  ///< by a warp, of the line's most executed instruction
  double warp_instructions = 0, lane_instructions = 0, flops = 0;
  LineAccess loads, stores, shared_loads, shared_stores;
  double branches = 0, divergent = 0;
  double atomics = 0, atomics_waiting = 0;
  double local_sectors = 0, barriers = 0;
};

/// By line number, of the counted run.
std::map<std::uint32_t, LineFacts> line_facts(const Explanation& explanation);

/// Sectors a request could do with, bytes moved for nothing.
double ideal_sectors(const LineAccess& access);
double wasted_bytes(const LineAccess& access);
inline double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

/// How many times the blocks of the sample fit the grid.
double grid_scale(const simt::LaunchReport& report);

}  // namespace warpwright::evaluate
