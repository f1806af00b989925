// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright::cli {

/// "0.2.0".
std::string_view program_version();

/// Empty outside a checkout.
std::string_view program_commit();

/// What --version prints: version and commit, how it was compiled, what is built in and what is
/// looked for at run time.
std::string version_text();

}  // namespace warpwright::cli
