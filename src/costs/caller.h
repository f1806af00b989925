// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::costs {

/// A main that calls `solve` once. Its command line: a folder with a file for every buffer that
/// has values, then bytes of buffers and values of scalars in the order of the arguments.
std::string caller_text(const Task& task);

/// Writes the buffers of a size into the folder; returns the command line behind it.
Result<std::vector<std::string>> write_call(const Task& task, const TaskSize& size,
                                            const std::filesystem::path& folder);

}  // namespace warpwright::costs
