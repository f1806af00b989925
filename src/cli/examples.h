// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/settings.h"
#include "core/task.h"

namespace warpwright::cli {

/// The nearest proven kernels from the archives and folders that the settings name, in words for a
/// prompt; empty when none are wanted or found. The error names what cannot be read.
Result<std::string> examples_for(const Settings& settings, const Task& task);

}  // namespace warpwright::cli
