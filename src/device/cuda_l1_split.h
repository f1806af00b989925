// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda_driver.h"

namespace warpwright::device {

/// Brings every SM into the same state before a sample: all of its L1 memory is cache. A kernel
/// finds the split into cache and shared memory that the last one left, and keeps it when it is
/// enough for one block: what ran before could halve the blocks per SM. For one context.
class CudaL1Split {
 public:
  static Result<std::unique_ptr<CudaL1Split>> make(const CudaDriver& driver, int sm_count);
  ~CudaL1Split();
  CudaL1Split(const CudaL1Split&) = delete;
  CudaL1Split& operator=(const CudaL1Split&) = delete;

  /// Behind all that is queued on the stream.
  Status run(CuStream stream);

 private:
  explicit CudaL1Split(const CudaDriver& driver) : driver_(driver) {}

  const CudaDriver& driver_;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
  unsigned blocks_ = 0;
};

}  // namespace warpwright::device
