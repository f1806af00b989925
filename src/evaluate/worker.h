// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// `warpwright worker JOBDIR`: reads the request, judges it, writes the result. A request
/// that cannot be read also ends in a result file (harness_error), so that whoever waits for one
/// gets it; the error is for a directory that cannot be written. With the digest of what another
/// process has prepared only the stages on the device are left; what does not fit the digest is
/// refused, and then all stages are done here.
Result<Evaluation> work(const JobDirectory& job, std::string_view digest, Station& station,
                        const StopSignal& stop);

/// The stages that need no device, handed over in the folder. The digest for work(); absent: the
/// result is there.
Result<std::optional<std::string>> prepare(const JobDirectory& job, Station& station,
                                           const StopSignal& stop);

/// What to write when the request itself is bad.
Evaluation unreadable(const Error& error);

}  // namespace warpwright::evaluate
