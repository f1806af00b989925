// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/task.h"
#include "verify/reference.h"

namespace warpwright::torch {

/// What is wrong with a task's reference, one sentence each: it does not run at the smallest size,
/// its outputs are no numbers, differ from call to call, or do not depend on an input at any of the
/// small sizes. Empty: nothing.
Result<std::vector<std::string>> check_reference(const Task& task,
                                                 const verify::ExpectedSource& reference);

}  // namespace warpwright::torch
