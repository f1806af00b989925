// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/stages.h"

namespace warpwright::evaluate {

/// What a call may take to be run under several schedules, in warp instructions.
inline constexpr std::uint64_t kScheduledWork = 2'000'000;

inline constexpr std::uint64_t kSmallBytes = 64 << 10;

/// How large a case for a slow and careful run may be: kSmallBytes, or more where every plain case
/// of the task has more (images of fixed width and height), as long as a few megabytes do.
std::uint64_t small_bytes(const Prepared& prepared);

/// Some of the cases for slow and careful runs: the largest of at most `max_bytes`, then some with
/// special inputs.
std::vector<verify::Case> small_cases(const Prepared& prepared, std::uint64_t max_bytes);

/// Those of more than `beyond_bytes` and at most `max_bytes`, the smallest first, then some with
/// special inputs.
std::vector<verify::Case> larger_cases(const Prepared& prepared, std::uint64_t beyond_bytes,
                                       std::uint64_t max_bytes);

/// What a careful run on the SIMT machine says of small cases, and of larger ones as far as there
/// was time.
struct CarefulRun {
  /// Every small case ran to its end with full checks, or of every doubling of sizes the largest.
  bool complete = false;
  std::string why_not;                ///< else
  std::string remark;                 ///< what was left out, if that is worth telling
  std::vector<device::Fault> faults;  ///< memory faults and races of the first case that has any
  verify::Case item;                  ///< that case
};
CarefulRun run_carefully(const Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
