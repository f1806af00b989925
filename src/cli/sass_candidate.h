// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "base/stop.h"

namespace warpwright::cli {

/// Which machine code of an archived run is meant.
struct WantedCandidate {
  std::string archive;    ///< a file; empty = the usual one
  std::string run;        ///< id, beginning of one, or "last"
  std::string candidate;  ///< a trial, or "best"; empty = best
  bool tuned = false;     ///< what was derived from its source, not built from it
};

/// The cubin of a candidate, built for the device that it was judged for and by the compiler that
/// the judge used, whatever this machine has; or its tuned machine code, as it is stored.
Result<std::string> candidate_cubin(const WantedCandidate& wanted, const StopSignal& stop);

}  // namespace warpwright::cli
