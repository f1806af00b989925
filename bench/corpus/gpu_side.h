// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda_driver.h"
#include "support/corpus.h"

namespace warpwright::corpus {

/// Kernels of the corpus on a GPU, through the driver. Texts are compiled by the driver, a batch
/// at a time; what it refuses is found by halving the batch.
class GpuSide {
 public:
  static Result<std::unique_ptr<GpuSide>> open(std::uint32_t threads);
  ~GpuSide();
  GpuSide(const GpuSide&) = delete;
  GpuSide& operator=(const GpuSide&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The results of the cases in order; an error is a refusal of that case alone.
  std::vector<Result<std::vector<std::byte>>> run(const std::vector<const Case*>& cases);

 private:
  explicit GpuSide(const device::CudaDriver& driver, std::uint32_t threads)
      : driver_(driver), threads_(threads) {}
  Result<std::vector<std::byte>> launch(device::CuModule module, std::size_t number, const Case& c);

  device::CudaDriver driver_;
  std::uint32_t threads_;
  std::string name_;
  device::CuDevice device_ = 0;
  device::CuAddress inputs_[4] = {}, output_ = 0;
};

}  // namespace warpwright::corpus
