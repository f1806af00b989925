// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sass/check.h"

namespace warpwright::sass {

// A proof of an order that knows nothing of dependences: the code runs, on symbols.

EarlyUses early_uses(const Function& function);

/// Runs both orders of a function block by block. A value is named by who made it and of what; each
/// instruction must read the same values in both, and each block must leave the same. Results come
/// as late as scoreboards allow, late sources are read as late as they allow; where the changed
/// order then uses what need not be there, and the original did not, that is a hazard. Instructions
/// are told apart by the offset at which they were built.
std::vector<Hazard> replay_against(const Function& original, const Function& changed);
/// The same with the original's early uses at hand, which do not change while orders are searched.
std::vector<Hazard> replay_against(const Function& original, const EarlyUses& early,
                                   const Function& changed);

}  // namespace warpwright::sass
