// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal.h"
#include "core/evaluation.h"

namespace warpwright::cli {

/// What a person reads of one evaluation: the verdict with device and compiler, what is wrong (each
/// fault once), resources, remarks and times.
std::string evaluation_text(const Evaluation& evaluation, const Painter& painter);

}  // namespace warpwright::cli
