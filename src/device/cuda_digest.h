// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda_driver.h"

namespace warpwright::device {

/// digest_of() of memory of the GPU, computed there. For one context.
class CudaDigest {
 public:
  static Result<std::unique_ptr<CudaDigest>> make(const CudaDriver& driver);
  ~CudaDigest();
  CudaDigest(const CudaDigest&) = delete;
  CudaDigest& operator=(const CudaDigest&) = delete;

  /// Behind all that is queued on the stream.
  Result<std::uint64_t> of(CuAddress at, std::uint64_t bytes, std::uint64_t key, CuStream stream);

 private:
  explicit CudaDigest(const CudaDriver& driver) : driver_(driver) {}

  const CudaDriver& driver_;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
  CuAddress sum_ = 0;
};

}  // namespace warpwright::device
