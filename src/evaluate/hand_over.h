// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evaluate/job.h"
#include "evaluate/judgement.h"

namespace warpwright::evaluate {

// What a judgement has prepared goes to the process that owns the device in the job's folder, so
// that lint, build and record are done once. The file holds the seed: no candidate's process sees
// the folder. Its digest goes another way, through the pipe between the two processes, and only the
// file with that digest is read: nobody can put another in its place, not even an older one.

/// Writes the file; its digest.
Result<std::string> hand_over(const JobDirectory& job, const Contenders& contenders);

/// The same contenders, for the request of the folder as it is now. The error says why the file was
/// refused: it is not the one with the digest, or was made for another request.
Result<Contenders> take_over(const JobDirectory& job, std::string_view digest,
                             const JobRequest& request, Station& station, const StopSignal& stop);

/// Once there is a result.
void forget_hand_over(const JobDirectory& job);

}  // namespace warpwright::evaluate
