// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace warpwright::store {

/// Removes everything of a run from the archive in this file, and the texts that no other run has.
/// Nobody may be working on the run.
Status delete_run(const std::filesystem::path& archive, const std::string& run, const Clock& clock);

}  // namespace warpwright::store
