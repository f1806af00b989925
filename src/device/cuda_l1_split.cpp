// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_l1_split.h"

#include <algorithm>

namespace warpwright::device {

namespace {

constexpr const char* kEmptyKernel =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty() { ret; }\n";
// Two blocks of this size fill an SM, so that each SM gets one.
constexpr unsigned kSettleThreads = 1024;
constexpr int kBlocksPerSm = 2;
constexpr int kAllCache = 0;  // per cent of the L1 memory for shared memory

}  // namespace

Result<std::unique_ptr<CudaL1Split>> CudaL1Split::make(const CudaDriver& driver, int sm_count) {
  std::unique_ptr<CudaL1Split> split(new CudaL1Split(driver));
  split->blocks_ = static_cast<unsigned>(std::max(sm_count, 1) * kBlocksPerSm);
  WW_CHECK(driver.check(driver.module_load(&split->module_, kEmptyKernel, 0, nullptr, nullptr),
                        "load the judge's own kernel"));
  WW_CHECK(driver.check(driver.module_function(&split->function_, split->module_, "empty"),
                        "load the judge's own kernel"));
  // Older GPUs have fixed sizes: then there is nothing to split.
  driver.function_set_attribute(split->function_, kCuFuncCarveout, kAllCache);
  return split;
}

CudaL1Split::~CudaL1Split() {
  if (module_ != nullptr) driver_.module_unload(module_);
}

Status CudaL1Split::run(CuStream stream) {
  const CuLaunchConfig config{blocks_, 1, 1, kSettleThreads, 1, 1, 0, stream, nullptr, 0};
  return driver_.check(driver_.launch(&config, function_, nullptr, nullptr),
                       "reset the split of L1 memory");
}

}  // namespace warpwright::device
