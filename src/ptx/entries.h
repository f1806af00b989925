// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::build {

struct PtxParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  bool operator==(const PtxParameter&) const = default;
};

/// What the head and body of an .entry tell about launching it.
struct PtxEntry {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  int max_threads = 1024;  ///< of __launch_bounds__
  int shared_bytes = 0;    ///< static
  int local_bytes = 0;

  bool operator==(const PtxEntry&) const = default;
};

/// All kernels of a PTX module, in order. Total: damaged text gives an error, never a crash.
Result<std::vector<PtxEntry>> ptx_entries(std::string_view ptx);

}  // namespace warpwright::build
