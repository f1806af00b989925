// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_device.h"

#include <unistd.h>

#include <cstdio>

#include "device/device_contract.h"

namespace warpwright::device {
namespace {

// Each case opens a device of its own. A case that loses the context would spoil those after it,
// so CTest runs each in a process of its own.
INSTANTIATE_TEST_SUITE_P(Cuda, DeviceContract,
                         testing::Values(Opener{"cuda", [] { return CudaDevice::open(0, 60); }}));

TEST(CudaDevice, TellsWhatItIs) {
  if (!cuda_available()) GTEST_SKIP() << "no GPU here";
  const auto device = CudaDevice::open(0, 60);
  ASSERT_TRUE(device.ok()) << device.error().message;
  const DeviceInfo& info = (*device)->info();
  EXPECT_GT(info.facts.sm_count, 0);
  EXPECT_GT(info.facts.memory_gb_per_s, 0);
  EXPECT_GT(info.free_bytes, std::uint64_t{1} << 30);
  EXPECT_LT(info.timer_overhead_us, 50);
  RecordProperty("device", info.description);
  RecordProperty("timer_overhead_us", std::to_string(info.timer_overhead_us));
}

TEST(CudaDevice, IsUsedByOneJudgeAtATime) {
  if (!cuda_available()) GTEST_SKIP() << "no GPU here";
  const auto first = CudaDevice::open(0, 60);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_FALSE(CudaDevice::open(0, 0.05).ok());
}

}  // namespace
}  // namespace warpwright::device

// A hanging kernel would hold up a normal exit.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  std::fflush(nullptr);
  _exit(code);
}
