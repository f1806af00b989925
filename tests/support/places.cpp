// SPDX-License-Identifier: Apache-2.0
#include "support/places.h"

namespace warpwright {

std::string source_path(std::string_view below) {
  return WARPWRIGHT_SOURCE_DIR + std::string(below);
}

std::string build_path(std::string_view below) { return WARPWRIGHT_BUILD_DIR + std::string(below); }

std::string program_path() { return build_path("/warpwright"); }
std::string fake_worker_path() { return build_path("/tests/fake_worker"); }
std::string ask_tool_path() { return build_path("/tests/ask_tool"); }
std::string fleet_search_path() { return build_path("/tests/fleet_search"); }

}  // namespace warpwright
