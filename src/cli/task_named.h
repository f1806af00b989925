// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::cli {

/// What a user names on the command line: a folder or a built-in task. Costs that it wants counted
/// ("auto") are counted from its baseline, once: the cache keeps them by the task's content.
Result<Task> task_named(std::string_view name_or_folder);

/// A task whose costs are expressions.
Result<Task> with_counted_costs(Task task);

}  // namespace warpwright::cli
