// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/stages.h"

namespace warpwright::evaluate {

/// How much a judgement may do on this kind of device.
struct WorkLimits {
  verify::CaseLimits cases;         ///< edge sizes and variants
  verify::CaseLimits drawn;         ///< sizes between the timed ones
  std::uint64_t checked_bytes = 0;  ///< largest footprint of a timed or edge size that is checked
  std::uint64_t timed_bytes = 0;    ///< largest footprint that is measured
  double validate_s = 0;            ///< after that no further case is begun
  double run_s = 0;                 ///< longest run of one plan
  /// Beyond this footprint a run that takes too long says nothing of the candidate; 0 = it always
  /// does.
  std::uint64_t hang_bytes = 0;
};
WorkLimits work_limits(const JobRequest& request, const device::ResolvedDevice& target);

/// Whether this size is among the cases, with the task's own inputs.
bool has_case(const std::vector<verify::Case>& cases, const TaskSize& size);

/// How long one run of this case may take.
double run_limit_s(const Prepared& prepared, const verify::Case& item, const Context& context);

/// Fills cases, timed and drawn, with a note for each size that is left out. An unknown label in
/// the request is an error.
Status choose_work(Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
