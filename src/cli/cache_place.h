// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

namespace warpwright::cli {

/// The folder where this user's programs keep what is built once: $XDG_CACHE_HOME/warpwright, else
/// ~/.cache/warpwright; for root, whose home nobody else may enter, /var/cache/warpwright. Made
/// with no rights for others (root's: to read, for the user that compilers run as). The error is
/// for a folder that is somebody else's, that others can write into, or that cannot be made.
Result<std::filesystem::path> cache_place();

}  // namespace warpwright::cli
