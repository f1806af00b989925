// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/session.h"

namespace warpwright::evaluate {

/// Ended by wrong results of a validation case, with what may explain them: another run of the same
/// call was right, or the values change with what memory held before. `run` counts from 0.
Outcome<> ended_by_wrong(Session& session, const verify::Case& item, std::uint64_t seed,
                         const Wrong& wrong, const std::vector<Finding>& findings, std::size_t run);

}  // namespace warpwright::evaluate
