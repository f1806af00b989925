// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace warpwright::suite {

/// A built-in task, in a list of all.
struct TaskRow {
  std::string name;
  std::string title;
  std::string group;  ///< "paper" or "extension"
  std::string rule_set;
  std::vector<std::string> sizes;  ///< labels of the timed ones
};

/// All built-in tasks, sorted by name.
Result<std::vector<TaskRow>> task_listing();

}  // namespace warpwright::suite
