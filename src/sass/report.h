// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sass/check.h"

namespace warpwright::sass {

/// A listing: stall, yield, scoreboards and reuse of each instruction, live registers, source line;
/// of each region its issue cycles, and what its schedule waits for.
std::string show_text(const Program& program, const std::vector<const Function*>& functions,
                      const LatencyTable& table);
std::string show_json(const Program& program, const std::vector<const Function*>& functions,
                      const LatencyTable& table);

std::string hazards_text(const std::vector<Hazard>& hazards, std::size_t instructions);
std::string hazards_json(const std::vector<Hazard>& hazards, std::size_t instructions);

}  // namespace warpwright::sass
