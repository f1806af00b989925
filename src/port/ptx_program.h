// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "port/findings.h"

namespace warpwright::port {

/// PTX as a source of HIP: one statement of C++ for each instruction, kernels under their names.
struct PtxProgram {
  std::string source;
  std::vector<std::string> kernels;
  Findings findings;  ///< lines are those of the PTX; what has no rule does not compile
};

/// The error says what is no PTX; `file` is its name in findings.
Result<PtxProgram> ptx_as_hip(std::string_view ptx, const std::string& file);

}  // namespace warpwright::port
