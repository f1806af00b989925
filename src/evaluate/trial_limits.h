// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

/// How much a trial may do on this kind of device.
struct WorkLimits {
  verify::CaseLimits cases;
  std::uint64_t timed_bytes = 0;  ///< largest footprint that is measured
  double validate_s = 0;          ///< after that no further case is begun
  double run_s = 0;               ///< longest run of one plan
};
WorkLimits work_limits(const TrialState& state);

/// Fills state.cases and state.timed, with a note for each size that is left out. An unknown label
/// in the request is an error.
Status choose_work(TrialState& state);

}  // namespace warpwright::evaluate
