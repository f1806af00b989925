// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/judgement.h"

namespace warpwright::evaluate {

// The candidate against its rival: both are built, recorded and validated like any candidate, then
// timed in turns in this process, on the same data at the same addresses. The evaluation is the
// candidate's, with a comparison; a bad verdict of the rival is there too, and `failed` says whose
// it is. judgement.h has what both halves are for.

std::variant<Contenders, Evaluation> prepare_comparison(const JobRequest& request,
                                                        const std::filesystem::path& scratch,
                                                        Station& station, const StopSignal& stop);
/// The rival as a candidate of its own.
SourcePointer rival_of(const JobRequest& request);
Evaluation finish_comparison(Contenders contenders);

}  // namespace warpwright::evaluate
