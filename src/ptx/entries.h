// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ptx/limits.h"

namespace warpwright::ptx {

struct EntryParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  bool operator==(const EntryParameter&) const = default;
};

/// What the head and body of an .entry tell about launching it.
struct Entry {
  std::string name;
  std::vector<EntryParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  int max_threads = static_cast<int>(kLimits.threads_per_block);  ///< of __launch_bounds__
  int shared_bytes = 0;                                           ///< static
  int local_bytes = 0;

  bool operator==(const Entry&) const = default;
};

/// All kernels of a PTX module, in order. Total: damaged text gives an error, never a crash.
Result<std::vector<Entry>> entries_of(std::string_view ptx);

}  // namespace warpwright::ptx
