// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::suite {

/// The texts of a task folder as they were found.
struct TaskFolder {
  std::string name;   ///< the folder's name
  std::string where;  ///< what errors call task.toml, e.g. "my_task/task.toml"
  std::string toml;
  std::string baseline;
  std::string slow;              ///< may be empty
  std::string reference;         ///< may be empty
  std::string device_reference;  ///< may be empty
  std::string torch;             ///< reference.py, may be empty
};

/// Reads and validates. Errors are "FILE:LINE: what is wrong; what to do".
Result<Task> parse_task(const TaskFolder& folder);

/// A folder on disk with task.toml and baseline.cu, and optionally slow.cu, reference.cpp
/// and reference.cu. With a reference.py it needs no baseline.
Result<Task> load_task_folder(const std::filesystem::path& folder);

/// The names of all built-in tasks, sorted.
std::vector<std::string> embedded_task_names();

/// Those of one group, sorted: "" are the paper's 20, "extension" the others.
std::vector<std::string> embedded_task_names(std::string_view group);

/// A built-in task; an error suggests the nearest name.
Result<Task> load_embedded_task(std::string_view name);

/// What a user names on the command line: a folder if it has a slash or is one, else a built-in.
Result<Task> load_task(std::string_view name_or_folder);

}  // namespace warpwright::suite
