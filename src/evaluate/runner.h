// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stop.h"

namespace warpwright::evaluate {

/// `warpwright worker --runner`: the process that owns a device and keeps it open between
/// candidates. Jobs come as lines on `in` (lines.h); "done FOLDER" goes to `out` once the result is
/// on disk. `at_once` judgements overlap: one is on the device, the others get ready for it.
///
/// After a fault that the device's context does not survive it says "worn" and ends the process:
/// what it had begun is for its successor. It also ends at the end of `in`.
int run_jobs(int in, int out, int at_once, const StopSignal& stop);

}  // namespace warpwright::evaluate
