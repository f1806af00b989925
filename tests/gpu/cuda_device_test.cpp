// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

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

// Sizes that are drawn differ from evaluation to evaluation, and must not move those that are
// timed.
TEST(CudaDevice, TimedCallsMeetTheSameMemoryAgain) {
  if (!cuda_available()) GTEST_SKIP() << "no GPU here";
  const auto device = CudaDevice::open(0, 60);
  ASSERT_TRUE(device.ok()) << device.error().message;
  constexpr std::uint64_t kTimed = 4 << 20;
  const auto timed_address = [&] {
    const AllocatingFor use(**device, BufferUse::timed);
    const auto buffer = (*device)->allocate(kTimed, "timed").value();
    const std::uint64_t address = (*device)->address(buffer);
    (*device)->release(buffer);
    return address;
  };
  const std::uint64_t first = timed_address();
  const auto validated = (*device)->allocate(kTimed, "validated").value();
  EXPECT_NE((*device)->address(validated), first);
  EXPECT_EQ(timed_address(), first);
  (*device)->release(validated);
  EXPECT_EQ(timed_address(), first);
}

// A kernel that leaves its output alone finds zeros, NaN, infinities and numbers there, by turns.
TEST(CudaDevice, OutputsHoldEveryKindOfGarbage) {
  if (!cuda_available()) GTEST_SKIP() << "no GPU here";
  auto opened = CudaDevice::open(0, 60);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  Device& device = **opened;
  const std::string ptx =
      ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  const auto module = device.load({.ptx = ptx, .cubin = "", .source_file = ""}).value().module;
  constexpr std::size_t kWords = 4099;
  const auto out = device.allocate(kWords * sizeof(float), "out").value();
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = kWords * sizeof(float)}};
  KernelLaunch nothing;
  nothing.kernel = "nothing";
  nothing.grid = {1, 1, 1};
  nothing.block = {32, 1, 1};
  plan.steps = {nothing};
  const std::vector<Binding> bindings = {{.buffer = out, .before = Binding::Before::poison}};
  auto replay = device.prepare(module, plan, bindings).value();
  std::map<std::string, int> kinds;
  for (int call = 0; call < 150; ++call) {
    const auto report = replay->run({.poison_seed = 1, .timed = call % 2 == 0});
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_TRUE(report->faults.empty()) << report->faults.front().message;
    std::vector<float> values(kWords);
    ASSERT_TRUE(device.download(std::as_writable_bytes(std::span(values)), out).ok());
    const float last = values.back();
    if (std::count(values.begin(), values.end(), 0.0F) == kWords) ++kinds["zeros"];
    if (std::isnan(values.front()) && std::isnan(last)) ++kinds["nan"];
    if (std::isinf(values.front()) && std::isinf(last)) ++kinds["infinities"];
    if (std::isfinite(last) && std::fabs(last) > 1e30F) ++kinds["large"];
    if (last != 0 && std::fabs(last) < 1e-30F) ++kinds["small"];
    if (std::fabs(last) > 1e-5F && std::fabs(last) < 1.5F) ++kinds["usual"];
  }
  for (const char* kind : {"zeros", "nan", "infinities", "large", "small", "usual"})
    EXPECT_GE(kinds[kind], 2) << kind;
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
