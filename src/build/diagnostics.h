// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::build {

/// The name under which every candidate is compiled; messages about other files are kept with the
/// first line of the candidate that led there.
inline constexpr std::string_view kCandidateFile = "candidate.cu";

/// Reads the output of clang, nvcc, ptxas, g++ and the linker. Errors first, in their order, then
/// warnings; duplicates and back traces are left out, long texts cut, paths removed. Never more
/// than 20.
std::vector<Diagnostic> parse_diagnostics(std::string_view output);

}  // namespace warpwright::build
