// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace warpwright::corpus {

/// The SIMT machine against what a GPU computed earlier: the results of matrix instructions one by
/// one, those of the others by their hashes. Prints what differs; 0 when nothing does.
int check_recorded(const std::filesystem::path& results);

}  // namespace warpwright::corpus
