// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_digest.h"

#include <algorithm>
#include <array>

#include "device/digest.h"

namespace warpwright::device {

namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kWordsPerThread = 16;
constexpr std::uint64_t kMostBlocks = 1024;

}  // namespace

Result<std::unique_ptr<CudaDigest>> CudaDigest::make(const CudaDriver& driver) {
  std::unique_ptr<CudaDigest> digest(new CudaDigest(driver));
  const std::string ptx(digest_ptx());
  WW_CHECK(driver.check(driver.module_load(&digest->module_, ptx.c_str(), 0, nullptr, nullptr),
                        "load the judge's own kernel"));
  WW_CHECK(driver.check(driver.module_function(&digest->function_, digest->module_, "digest"),
                        "load the judge's own kernel"));
  WW_CHECK(driver.check(driver.memory_alloc(&digest->sum_, sizeof(std::uint64_t)),
                        "allocate memory for digests"));
  return digest;
}

CudaDigest::~CudaDigest() {
  if (sum_ != 0) driver_.memory_free(sum_);
  if (module_ != nullptr) driver_.module_unload(module_);
}

Result<std::uint64_t> CudaDigest::of(CuAddress at, std::uint64_t bytes, std::uint64_t key,
                                     CuStream stream) {
  const std::uint64_t words = bytes / 4;
  std::array<std::uint64_t, 5> parameters = {at, words, bytes % 4, key, sum_};
  std::size_t size = sizeof parameters;
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1), parameters.data(),
                                reinterpret_cast<void*>(2), &size, nullptr};
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>(words / (kThreads * kWordsPerThread), 1, kMostBlocks);
  const CuLaunchConfig config{
      static_cast<std::uint32_t>(blocks), 1, 1, kThreads, 1, 1, 0, stream, nullptr, 0};
  std::uint64_t sum = 0;
  WW_CHECK(driver_.check(driver_.set_32(sum_, 0, 2, stream), "clear a digest"));
  WW_CHECK(
      driver_.check(driver_.launch(&config, function_, nullptr, extra.data()), "compute a digest"));
  WW_CHECK(
      driver_.check(driver_.copy_to_host_async(&sum, sum_, sizeof sum, stream), "read a digest"));
  WW_CHECK(driver_.check(driver_.stream_synchronize(stream), "read a digest"));
  return sum;
}

}  // namespace warpwright::device
