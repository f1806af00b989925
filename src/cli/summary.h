// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/progress.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

/// The result first, then where everything is and what to do next. Returns the exit code.
int print_ending(store::Archive& archive, const std::string& run, const search::Ending& ending,
                 ProgressMode mode);

/// A table of the best kernel's times per size, for people.
std::string times_table(const Evaluation& evaluation);

}  // namespace warpwright::cli
