// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace warpwright {

/// The only test code that knows where this build lies is places.cpp: every other object file is
/// the same in every checkout, and a compiler cache can hand it over.

/// A file or folder of the repository: source_path("/docs/tasks.md"). Without an argument its root.
std::string source_path(std::string_view below = "");

/// A file or folder of the build directory.
std::string build_path(std::string_view below = "");

/// The program under test, and the helpers that are built beside the tests.
std::string program_path();
std::string fake_worker_path();
std::string ask_tool_path();
std::string fleet_search_path();

}  // namespace warpwright
