// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "device/device.h"

namespace warpwright::device {

/// What other work on a GPU keeps busy.
enum class Busy : int {
  memory,      ///< loads from all over a buffer larger than the L2 cache
  arithmetic,  ///< products and sums on every multiprocessor
};

/// Work of our own on the same GPU, beside what a device runs: so that a kernel meets other
/// latencies and another order of its warps.
class OtherWork {
 public:
  virtual ~OtherWork() = default;
  /// Begins some that lasts about so long, unless the last one still runs. Nobody waits for it.
  virtual Status begin(Busy what, double about_us) = 0;
};

/// In the context of an open device, on a stream of its own. An error where it is no GPU. It must
/// go before the device.
Result<std::unique_ptr<OtherWork>> open_other_work(const ResolvedDevice& resolved);

/// Its kernel, "work". Takes the address of a buffer, a mask for offsets in it, how many cycles to
/// go on, and whether to load. Never writes what anybody reads.
std::string other_work_ptx();

/// What it takes, as the kernel has it.
struct OtherWorkCall {
  std::uint64_t room = 0, mask = 0, cycles = 0;
  std::uint32_t loads = 0;
};

}  // namespace warpwright::device
