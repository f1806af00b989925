// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda_driver.h"

namespace warpwright::device {

/// Bytes that get random words of a kind (poison.h), both following from the key.
struct FillRange {
  CuAddress at = 0;
  std::uint64_t bytes = 0;
  std::uint64_t key = 0;
  bool watched = false;  ///< may be asked for with held()
};

inline constexpr std::size_t kMostFillRanges = 32;

/// What the kernels take, by value.
struct FillCall {
  std::uint64_t flags = 0;  ///< of `compare`: a word per range that is set where a byte differs
  std::uint64_t unused = 0;
  struct Range {
    std::uint64_t at, bytes, key;
    std::uint32_t keep, set;
  } range[kMostFillRanges] = {};
};
static_assert(sizeof(FillCall) == 16 + 32 * kMostFillRanges);

/// PTX with the kernels `fill` and `compare`. Grid: any number of blocks x ranges.
std::string fill_ptx();
/// At most kMostFillRanges; blocks of the grid that suits them.
FillCall fill_call(std::span<const FillRange> ranges);
std::uint32_t fill_blocks(std::span<const FillRange> ranges);

/// Fills many pieces of memory with one launch, and looks whether they still hold it. For one
/// context.
class CudaFill {
 public:
  static Result<std::unique_ptr<CudaFill>> make(const CudaDriver& driver);
  ~CudaFill();
  CudaFill(const CudaFill&) = delete;
  CudaFill& operator=(const CudaFill&) = delete;

  static constexpr std::uint32_t kThreads = 256;

  /// Queued on the stream.
  Status fill(std::span<const FillRange> ranges, CuStream stream);
  /// By range: whether it holds what fill() wrote. Waits for the stream.
  Result<std::vector<bool>> held(std::span<const FillRange> ranges, CuStream stream);

 private:
  explicit CudaFill(const CudaDriver& driver) : driver_(driver) {}
  Status launch(CuFunction function, std::span<const FillRange> ranges, std::uint64_t flags,
                CuStream stream);

  const CudaDriver& driver_;
  CuModule module_ = nullptr;
  CuFunction fill_ = nullptr, compare_ = nullptr;
  CuAddress flags_ = 0;
};

}  // namespace warpwright::device
