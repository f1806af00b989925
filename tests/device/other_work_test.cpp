// SPDX-License-Identifier: Apache-2.0
#include "device/other_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/gpu_clocks.h"

namespace warpwright::device {
namespace {

// The GPU's kernel on the machine that is here: it ends by itself, stays inside its buffer and
// leaves it as it was.
class OtherWorkPtx : public testing::TestWithParam<std::uint32_t> {};

TEST_P(OtherWorkPtx, EndsAndChangesNothing) {
  const auto resolved = resolve_device({.device = "simt"});
  ASSERT_TRUE(resolved.ok());
  auto opened = open_device(*resolved, 0);
  ASSERT_TRUE(opened.ok());
  Device& device = **opened;
  const auto loaded = device.load({.ptx = other_work_ptx(), .cubin = "", .source_file = ""});
  ASSERT_TRUE(loaded.ok());
  ASSERT_FALSE(loaded->fault) << loaded->fault->message;
  constexpr std::uint64_t kBytes = 4096;
  const auto bytes = poison_pattern(3, kBytes);
  const auto room = device.allocate(kBytes, "room");
  ASSERT_TRUE(room.ok());
  ASSERT_TRUE(device.upload(*room, bytes).ok());
  LaunchPlan plan;
  plan.buffers.push_back(
      {.kind = BufferKind::argument, .argument = 0, .symbol = "", .bytes = kBytes});
  const OtherWorkCall call{0, (kBytes - 1) & ~std::uint64_t{15}, 400, GetParam()};
  KernelLaunch launch{.kernel = "work", .grid = {2, 1, 1}, .block = {64, 1, 1}};
  launch.parameters.assign(reinterpret_cast<const char*>(&call), 28);
  launch.parameter_offsets = {0, 8, 16, 24};
  launch.pointers.push_back({0, {0, 0}});
  plan.steps.emplace_back(launch);
  const std::vector<Binding> bindings = {{.buffer = *room}};
  const auto replay = device.prepare(loaded->module, plan, bindings);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const auto report = (*replay)->run({});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->faults.empty()) << report->faults.front().message;
  std::vector<std::byte> after(kBytes);
  ASSERT_TRUE(device.download(after, *room).ok());
  EXPECT_EQ(after, bytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OtherWorkPtx, testing::Values(0U, 1U));

TEST(OtherWork, NeedsAGpu) {
  const auto resolved = resolve_device({.device = "simt"});
  ASSERT_TRUE(resolved.ok());
  EXPECT_FALSE(open_other_work(*resolved).ok());
  EXPECT_FALSE(open_clocks(*resolved).ok());
}

}  // namespace
}  // namespace warpwright::device
