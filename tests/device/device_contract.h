// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <cstring>
#include <functional>
#include <numeric>
#include <ostream>

#include "device/device.h"

// What every device promises, whichever it is. A program that includes this instantiates
// DeviceContract with a way to open one.

namespace warpwright::device {

/// A way to open a device, with a name for the test's output.
struct Opener {
  const char* name;
  std::function<Result<std::unique_ptr<Device>>()> open;
};
inline void PrintTo(const Opener& opener, std::ostream* out) { *out << opener.name; }

inline constexpr const char* kContractPtx = R"(
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .u32 counter = 7;

// out[i] = in[i] + step for i < n
.visible .entry add_step(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n, .param .u32 p_step)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [p_in];
  ld.param.u64 %rd2, [p_out];
  ld.param.u32 %r1, [p_n];
  ld.param.u32 %r2, [p_step];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r6, 4;
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  add.s64 %rd4, %rd4, %rd3;
  add.s64 %rd5, %rd5, %rd3;
  ld.global.u32 %r7, [%rd4];
  add.s32 %r8, %r7, %r2;
  st.global.u32 [%rd5], %r8;
DONE:
  ret;
}

// out[0] = counter++
.visible .entry count_up(.param .u64 p_out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u64 %rd3, counter;
  ld.global.u32 %r1, [%rd3];
  add.s32 %r2, %r1, 1;
  st.global.u32 [%rd3], %r2;
  st.global.u32 [%rd2], %r1;
  ret;
}

// *(out + offset) = 1
.visible .entry poke(.param .u64 p_out, .param .u64 p_offset)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_offset];
  cvta.to.global.u64 %rd3, %rd1;
  add.s64 %rd4, %rd3, %rd2;
  mov.u32 %r1, 16843009;
  st.global.u32 [%rd4], %r1;
  ret;
}

.visible .entry spin(.param .u64 p_out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], 0;
AGAIN:
  ld.volatile.global.u32 %r1, [%rd2];
  setp.ne.u32 %p1, %r1, 12345;
  @%p1 bra AGAIN;
  ret;
}
)";

/// Parameter bytes as the .entry lays them out.
class Parameters {
 public:
  Parameters& add(PlanAddress pointer) {
    add(std::uint64_t{0});
    pointers_.push_back({bytes_.size() - sizeof(std::uint64_t), pointer});
    return *this;
  }
  template <class T>
  Parameters& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back('\0');
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  [[nodiscard]] KernelLaunch launch(std::string kernel, std::uint32_t grid,
                                    std::uint32_t block) const {
    KernelLaunch launch;
    launch.kernel = std::move(kernel);
    launch.grid.x = grid;
    launch.block.x = block;
    launch.parameters = bytes_;
    launch.parameter_offsets = offsets_;
    launch.pointers = pointers_;
    return launch;
  }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> offsets_;
  std::vector<AddressUse> pointers_;
};

class DeviceContract : public testing::TestWithParam<Opener> {
 protected:
  static constexpr std::uint32_t kCount = 1000;
  static constexpr std::uint64_t kBytes = kCount * 4;

  void SetUp() override {
    auto opened = GetParam().open();
    if (!opened.ok() && !cuda_available()) GTEST_SKIP() << opened.error().message;
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    device_ = std::move(opened).value();
    const auto loaded = device_->load({.ptx = kContractPtx, .source_file = "candidate.cu"});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    ASSERT_FALSE(loaded->fault) << loaded->fault->message;
    module_ = loaded->module;
    in_ = device_->allocate(kBytes, "in").value();
    out_ = device_->allocate(kBytes, "out").value();
    input_.resize(kCount);
    std::iota(input_.begin(), input_.end(), 100U);
    ASSERT_TRUE(device_->upload(in_, std::as_bytes(std::span(input_))).ok());
    plan_.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = kBytes},
                     {.kind = BufferKind::argument, .argument = 1, .bytes = kBytes}};
    bindings_ = {{.buffer = in_}, {.buffer = out_, .before = Binding::Before::poison}};
  }

  RunReport run(const RunOptions& options = {}) {
    EXPECT_TRUE(check_plan(plan_).ok());
    auto replay = device_->prepare(module_, plan_, bindings_);
    EXPECT_TRUE(replay.ok()) << (replay.ok() ? "" : replay.error().message);
    auto report = (*replay)->run(options);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok() ? *report : RunReport{};
  }

  std::vector<std::uint32_t> output() {
    std::vector<std::uint32_t> values(kCount);
    EXPECT_TRUE(device_->download(std::as_writable_bytes(std::span(values)), out_).ok());
    return values;
  }

  static KernelLaunch add_step(PlanAddress in, PlanAddress out, std::uint32_t step) {
    return Parameters().add(in).add(out).add(kCount).add(step).launch("add_step", 8, 128);
  }

  std::unique_ptr<Device> device_;
  ModuleId module_ = -1;
  BufferId in_ = -1, out_ = -1;
  std::vector<std::uint32_t> input_;
  LaunchPlan plan_;
  std::vector<Binding> bindings_;
};

TEST_P(DeviceContract, RunsAPlanAndRelocatesItsAddresses) {
  plan_.steps = {add_step(PlanAddress{0, 0}, PlanAddress{1, 0}, 5)};
  const RunReport report = run();
  ASSERT_TRUE(report.faults.empty()) << report.faults.front().message;
  EXPECT_TRUE(report.complete);
  const auto values = output();
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], input_[i] + 5) << i;
  ASSERT_EQ(report.resources.size(), 1U);
  EXPECT_EQ(report.resources[0].kernel, "add_step");
  EXPECT_GT(report.resources[0].occupancy, 0);
}

TEST_P(DeviceContract, ScratchMemsetCopyAndUploadHappenInOrder) {
  plan_.buffers.push_back({.kind = BufferKind::scratch, .bytes = kBytes});
  const PlanAddress scratch{2, 0};
  std::string bytes(8, '\0');
  bytes[0] = 9;
  plan_.steps = {
      Allocate{2},
      Memset{.destination = scratch, .value = 3, .element_bytes = 4, .width = kCount},
      Upload{.destination = PlanAddress{2, 40}, .bytes = bytes},
      add_step(scratch, PlanAddress{1, 0}, 1),
      DeviceCopy{.destination = PlanAddress{1, 4}, .source = PlanAddress{0, 8}, .width_bytes = 4},
      Free{2}};
  ASSERT_TRUE(run().faults.empty());
  const auto values = output();
  EXPECT_EQ(values[0], 4U);
  EXPECT_EQ(values[1], 102U);
  EXPECT_EQ(values[10], 10U);
  EXPECT_EQ(values[11], 1U);
  EXPECT_EQ(values[kCount - 1], 4U);
}

/// Steps on several streams, ordered by events: however they are run, each sees what it waits for.
TEST_P(DeviceContract, StreamsAreHonoured) {
  plan_.buffers.push_back({.kind = BufferKind::scratch, .bytes = kBytes});
  plan_.buffers.push_back({.kind = BufferKind::scratch, .bytes = kBytes});
  const PlanAddress in{0, 0}, out{1, 0}, left{2, 0}, right{3, 0};
  plan_.steps = {Allocate{2},
                 Allocate{3},
                 add_step(in, left, 1),
                 add_step(in, right, 10),
                 add_step(left, out, 100),
                 add_step(right, left, 1000),
                 DeviceCopy{.destination = {1, 4}, .source = {2, 4}, .width_bytes = 8},
                 Free{2}};
  plan_.order = {{0, {}}, {0, {}}, {1, {1}}, {2, {1}}, {1, {}}, {2, {4}}, {1, {5}}, {0, {5, 6}}};
  for (const bool timed : {false, true}) {
    const RunReport report = run({.timed = timed});
    ASSERT_TRUE(report.faults.empty()) << report.faults.front().message;
    const auto values = output();
    EXPECT_EQ(values[0], input_[0] + 101);
    EXPECT_EQ(values[1], input_[1] + 1010);
    EXPECT_EQ(values[2], input_[2] + 1010);
    EXPECT_EQ(values[kCount - 1], input_[kCount - 1] + 101);
  }
}

/// What lacks an event does not get through by luck: the reader runs first.
TEST_P(DeviceContract, AMissingEventShows) {
  plan_.buffers.push_back({.kind = BufferKind::scratch, .bytes = kBytes});
  plan_.steps = {Allocate{2}, add_step({0, 0}, {2, 0}, 1), add_step({2, 0}, {1, 0}, 1)};
  plan_.order = {{0, {}}, {1, {0}}, {2, {0}}};
  const RunReport report = run();
  if (!report.faults.empty()) {
    EXPECT_EQ(report.faults.front().verdict, Verdict::race) << report.faults.front().message;
    return;
  }
  int right = 0;
  const auto values = output();
  for (std::uint32_t i = 0; i < kCount; ++i) right += values[i] == input_[i] + 2 ? 1 : 0;
  EXPECT_LT(right, 10);
}

TEST_P(DeviceContract, OutputsArePoisonedDifferentlyEachTime) {
  plan_.steps = {
      Memset{.destination = PlanAddress{1, 0}, .value = 0, .element_bytes = 1, .width = 4}};
  std::set<std::vector<std::uint32_t>> contents;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    run({.poison_seed = seed});
    contents.insert(output());
    EXPECT_EQ(output()[0], 0U);
  }
  // One kind of garbage may be the same twice: zeros.
  EXPECT_GT(contents.size(), 4U);
}

TEST_P(DeviceContract, InoutsAreRestoredBeforeEachRun) {
  const BufferId pristine = device_->allocate(kBytes, "copy").value();
  ASSERT_TRUE(device_->upload(pristine, std::as_bytes(std::span(input_))).ok());
  bindings_[1] = {.buffer = out_, .before = Binding::Before::restore, .pristine = pristine};
  plan_.steps = {add_step(PlanAddress{1, 0}, PlanAddress{1, 0}, 1)};
  run();
  ASSERT_TRUE(run().faults.empty());
  EXPECT_EQ(output()[0], input_[0] + 1);
}

TEST_P(DeviceContract, ModuleVariablesStartAfreshEachRun) {
  plan_.steps = {Parameters().add(PlanAddress{1, 0}).launch("count_up", 1, 1)};
  auto replay = device_->prepare(module_, plan_, bindings_);
  ASSERT_TRUE(replay.ok());
  for (int i = 0; i < 3; ++i) {
    const auto report = (*replay)->run({.timed = i == 2});
    ASSERT_TRUE(report.ok() && report->faults.empty());
    EXPECT_EQ(output()[0], 7U);
  }
}

TEST_P(DeviceContract, SymbolsAreBuffersToo) {
  plan_.buffers.push_back({.kind = BufferKind::symbol, .symbol = "counter", .bytes = 4});
  plan_.steps = {
      Memset{.destination = PlanAddress{2, 0}, .value = 41, .element_bytes = 4, .width = 1},
      Parameters().add(PlanAddress{1, 0}).launch("count_up", 1, 1)};
  ASSERT_TRUE(run().faults.empty());
  EXPECT_EQ(output()[0], 41U);
}

TEST_P(DeviceContract, TimedRunsHaveATimeAndTheSameResult) {
  plan_.steps = {add_step(PlanAddress{0, 0}, PlanAddress{1, 0}, 2)};
  const RunReport report = run({.timed = true});
  ASSERT_TRUE(report.faults.empty());
  EXPECT_GT(report.elapsed_us, 0);
  EXPECT_LT(report.elapsed_us, 1e5);
  EXPECT_EQ(output()[kCount - 1], input_[kCount - 1] + 2);
}

TEST_P(DeviceContract, AWriteJustBehindABufferIsAMemoryFault) {
  plan_.steps = {Parameters().add(PlanAddress{1, 0}).add(kBytes).launch("poke", 1, 1)};
  const RunReport report = run();
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults.front().verdict, Verdict::memory_fault);
  EXPECT_THAT(report.faults.front().message, testing::HasSubstr("out"));
}

TEST_P(DeviceContract, AWriteFarBehindABufferIsAMemoryFault) {
  plan_.steps = {
      Parameters().add(PlanAddress{1, 0}).add(std::uint64_t{3} << 20).launch("poke", 1, 1)};
  const RunReport report = run();
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults.front().verdict, Verdict::memory_fault);
}

TEST_P(DeviceContract, AHangIsATimeOut) {
  plan_.steps = {Parameters().add(PlanAddress{1, 0}).launch("spin", 1, 32)};
  const RunReport report = run({.limit_s = 0.5, .work = 2'000'000});
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults.front().verdict, Verdict::timeout);
}

TEST_P(DeviceContract, ALaunchTheDeviceRefusesIsALaunchError) {
  KernelLaunch launch = add_step(PlanAddress{0, 0}, PlanAddress{1, 0}, 1);
  launch.shared_bytes = 900 << 10;
  plan_.steps = {launch};
  const RunReport report = run();
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults.front().verdict, Verdict::launch_error);
}

}  // namespace warpwright::device
