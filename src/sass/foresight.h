// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sass/moves.h"

namespace warpwright::sass {

/// A schedule whose forecast for one warp alone is shorter: a loop is annealed on the forecast,
/// from where the search stands, for loads that hit in L1, in L2, or in neither. Nothing where none
/// was found.
std::optional<Proposal> propose_forecast(const Kernel& kernel, const Schedule& from,
                                         Random& random);

}  // namespace warpwright::sass
