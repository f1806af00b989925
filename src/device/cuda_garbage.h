// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "device/cuda_driver.h"

namespace warpwright::device {

/// Fills memory that kernels share without naming it: the SMs' shared memory, and the local memory
/// of threads. A kernel finds there what the one before it left. For one context.
class CudaGarbage {
 public:
  static Result<std::unique_ptr<CudaGarbage>> make(const CudaDriver& driver, int sm_count,
                                                   int threads_per_sm, int shared_bytes);
  ~CudaGarbage();
  CudaGarbage(const CudaGarbage&) = delete;
  CudaGarbage& operator=(const CudaGarbage&) = delete;

  /// All shared memory of every SM, behind what is queued on the stream.
  Status fill_shared(std::uint64_t key, CuStream stream);
  /// So many bytes of local memory of all threads that can be resident. 0: nothing to do.
  Status fill_local(std::uint64_t bytes, std::uint64_t key, CuStream stream);

 private:
  struct Kernel {
    CuModule module = nullptr;
    CuFunction function = nullptr;
  };
  explicit CudaGarbage(const CudaDriver& driver) : driver_(driver) {}
  Result<Kernel> load(const std::string& ptx);
  Status launch(CuFunction function, unsigned blocks, unsigned threads, unsigned shared,
                std::uint64_t key, CuStream stream);

  const CudaDriver& driver_;
  Kernel shared_;
  std::map<std::uint64_t, Kernel> local_;  ///< by the bytes that they fill
  CuAddress sink_ = 0;
  unsigned sms_ = 0, threads_per_sm_ = 0, shared_bytes_ = 0;
};

}  // namespace warpwright::device
