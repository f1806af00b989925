// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "core/task.h"

namespace warpwright {

/// The keys are those of task.toml, plus "name" and "sources"; docs/tasks.md describes them.
std::string task_to_json(const Task& task);

/// Total and validated: any text gives a usable task or an error. Stored tasks that are older than
/// domains are read, too.
Result<Task> task_from_json(std::string_view text);

/// The same with the place of the problem as a path, for readers that know lines.
std::variant<Task, TaskProblem> read_task_json(std::string_view text,
                                               Domains domains = Domains::required);

}  // namespace warpwright
