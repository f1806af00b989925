// SPDX-License-Identifier: Apache-2.0
#include "device/simt_device.h"

#include "device/device_contract.h"
#include "device/simt_estimate.h"
#include "device/simt_findings.h"
#include "device/simt_sample.h"
#include "simt/launcher.h"

namespace warpwright::device {
namespace {

INSTANTIATE_TEST_SUITE_P(Simt, DeviceContract, testing::Values(Opener{"simt", [] {
                                                                        return SimtDevice::open(
                                                                            *known_device("h200"),
                                                                            "full");
                                                                      }}));

TEST(SimtDevice, RefusesUnknownChecksAndPtxItCannotRun) {
  EXPECT_FALSE(SimtDevice::open(*known_device("h200"), "some").ok());
  auto device = SimtDevice::open(*known_device("h200"), "full").value();
  const auto loaded =
      device->load({.ptx = ".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k() { frobnicate.u32 %r1, 2; ret; }\n"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, testing::HasSubstr("frobnicate"));
}

TEST(SimtSample, GroupsAreSpreadAndNeverRepeat) {
  EXPECT_THAT(sampled_blocks(5, 9, 1), testing::ElementsAre(0, 1, 2, 3, 4));
  const auto blocks = sampled_blocks(1'000'000, 64, 1);
  EXPECT_THAT(blocks.size(), testing::AllOf(testing::Ge(64U), testing::Le(66U)));
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
  EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());
  EXPECT_EQ(blocks.front(), 0U);
  EXPECT_EQ(blocks.back(), 999'999U);
  EXPECT_NEAR(static_cast<double>(blocks[32]), 470'000, 33'000) << "anywhere in its part";
  EXPECT_NE(sampled_blocks(1'000'000, 64, 2)[32], blocks[32]);
}

TEST(SimtSample, LoneBlocksAreAnywhereInTheirParts) {
  EXPECT_THAT(lone_blocks(3, 5, 1), testing::ElementsAre(0, 1, 2));
  const auto blocks = lone_blocks(1'000'000, 4, 1);
  ASSERT_EQ(blocks.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(blocks[k] / 250'000, k);
  EXPECT_NE(lone_blocks(1'000'000, 4, 2), blocks);
}

// Each of 4,096 blocks makes 64 products in 1,300 instructions, which are next to nothing.
constexpr std::string_view kProducts = R"(
.version 8.3
.target sm_90a
.address_size 64
.visible .entry multiply() {
  .shared .align 128 .b8 matrices[2304];
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<4>;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, matrices;
  shl.b32 %r5, %r2, 2;
$fill:
  add.u32 %r6, %r3, %r5;
  st.shared.u32 [%r6], 0x3c003c00;
  add.u32 %r5, %r5, 512;
  setp.lt.u32 %p1, %r5, 2304;
  @%p1 bra $fill;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  cvt.u64.u32 %rd2, %r3;
  shr.u64 %rd2, %rd2, 4;
  or.b64 %rd2, %rd2, 0x1000080000;
  add.u64 %rd3, %rd2, 128;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;
  mov.f32 %f4, 0f00000000;
  mov.u32 %r7, 0;
$again:
  setp.ne.u32 %p2, %r2, %r2;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, %p2, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 64;
  @%p1 bra $again;
  ret;
}
)";

TEST(SimtSample, BlocksOfMatrixProductsWeighWhatTheirSumsTake) {
  simt::Launcher launcher{std::string(kProducts)};
  simt::Launch launch{.kernel = "multiply", .grid = {4096}, .block = {128}};
  launch.options.checks = simt::Checks::fast;
  int restored = 0;
  const auto report = launch_sampled(launcher.machine(), launcher.module(), launch, 1, 1, [&] {
    ++restored;
    return Status{};
  });
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(report->clean()) << report->faults[0].describe();
  EXPECT_EQ(restored, 1);
  EXPECT_GT(report->sums, 5 * report->counts.warp_instructions());
  EXPECT_GT(report->blocks_run, 100U);
  EXPECT_LT(report->blocks_run, 500U);
  const auto more =
      launch_sampled(launcher.machine(), launcher.module(), launch, 1, 2, [] { return Status{}; });
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_GT(2 * more->blocks_run, 3 * report->blocks_run);
  EXPECT_LT(more->blocks_run, 3 * report->blocks_run);
}

TEST(SimtSample, WhatRanAsAWholeIsNotRunAgainOnItsOwnResults) {
  simt::Launcher launcher(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 out) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  atom.global.add.u32 %r0, [%rd0], 1;
  ret;
}
)");
  const simt::Address out = launcher.put(std::vector<std::uint32_t>(1), "out");
  const auto params = simt::Params().add(out);
  const simt::Launch launch{
      .kernel = "count", .grid = {16}, .block = {1}, .params = params.bytes(), .cluster = {16}};
  const auto report =
      launch_sampled(launcher.machine(), launcher.module(), launch, 1, 1, [] { return Status{}; });
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->blocks_run, 16U);
  EXPECT_EQ(launcher.get<std::uint32_t>(out, 1)[0], 16U);
}

TEST(SimtDevice, SampledRunsPoisonOutputsAndTellWhatTheyWrote) {
  constexpr std::uint32_t kElements = 1 << 21;
  constexpr std::uint64_t kAll = kElements * 4;
  auto device = SimtDevice::open(*known_device("h200"), "full").value();
  const ModuleId module = device->load({.ptx = kContractPtx})->module;
  const BufferId in = device->allocate(kAll, "in").value();
  const BufferId out = device->allocate(kAll, "out").value();
  std::vector<std::uint32_t> values(kElements);
  std::iota(values.begin(), values.end(), 0U);
  ASSERT_TRUE(device->upload(in, std::as_bytes(std::span(values))).ok());
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = kAll},
                  {.kind = BufferKind::argument, .argument = 1, .bytes = kAll}};
  plan.steps = {Parameters()
                    .add(PlanAddress{1, 0})
                    .add(PlanAddress{1, 0})
                    .add(kElements)
                    .add(std::uint32_t{3})
                    .launch("add_step", kElements, 1)};
  // In place: a block that ran twice would add twice.
  const BufferId before = device->allocate(kAll, "before").value();
  ASSERT_TRUE(device->upload(before, std::as_bytes(std::span(values))).ok());
  auto in_place = device->prepare(
      module, plan,
      std::vector<Binding>{
          {.buffer = in}, {.buffer = out, .before = Binding::Before::restore, .pristine = before}});
  ASSERT_TRUE((*in_place)->run({.timed = true, .may_sample = true}).ok());
  ASSERT_TRUE(device->download(std::as_writable_bytes(std::span(values)), out).ok());
  for (std::uint32_t i = 0; i < kElements; ++i)
    ASSERT_TRUE(values[i] == i || values[i] == i + 3) << i << ": " << values[i];

  std::get<KernelLaunch>(plan.steps[0]) = Parameters()
                                              .add(PlanAddress{0, 0})
                                              .add(PlanAddress{1, 0})
                                              .add(kElements)
                                              .add(std::uint32_t{3})
                                              .launch("add_step", kElements, 1);
  auto replay = device->prepare(
      module, plan,
      std::vector<Binding>{{.buffer = in}, {.buffer = out, .before = Binding::Before::poison}});
  const auto report = (*replay)->run({.poison_seed = 5, .timed = true, .may_sample = true});
  ASSERT_TRUE(report.ok() && report->faults.empty());
  EXPECT_FALSE(report->complete);
  ASSERT_TRUE(device->download(std::as_writable_bytes(std::span(values)), out).ok());
  std::uint64_t written = 0;
  for (std::uint32_t i = 0; i < kElements; ++i) written += values[i] == i + 3 ? 4 : 0;
  EXPECT_GE(written, 4096U);
  EXPECT_LT(written, kAll);
  const auto poison = poison_pattern(5, 4);
  // Neither the first nor the last block is ever left out.
  EXPECT_NE(std::memcmp(values.data(), poison.data(), 4), 0);
}

TEST(SimtDevice, RunsUnderTheScheduleThatIsAskedFor) {
  // The block that comes last stays: a different one under another schedule.
  auto device = SimtDevice::open(*known_device("h200"), "fast").value();
  const ModuleId module = device
                              ->load({.ptx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry last(.param .u64 out) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %ctaid.x;
  st.global.u32 [%rd0], %r0;
  ret;
}
)"})
                              ->module;
  const BufferId out = device->allocate(4, "out").value();
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = 4}};
  plan.steps = {Parameters().add(PlanAddress{0, 0}).launch("last", 5, 32)};
  auto replay = device->prepare(
      module, plan, std::vector<Binding>{{.buffer = out, .before = Binding::Before::poison}});
  const auto winner = [&](std::string_view schedule) {
    EXPECT_TRUE((*replay)->run({.schedule = simt::schedule_named(schedule).value()}).ok());
    std::uint32_t value = 0;
    EXPECT_TRUE(device->download(std::as_writable_bytes(std::span(&value, 1)), out).ok());
    return value;
  };
  EXPECT_EQ(winner("forward"), 4U);
  EXPECT_EQ(winner("backward"), 0U);
}

simt::LaunchReport streaming_report(std::uint64_t blocks, double sectors_per_request) {
  simt::LaunchReport report;
  report.blocks_total = report.blocks_run = blocks;
  report.block = {256, 1, 1};
  report.registers = 24;
  const std::uint64_t requests = blocks * 8;
  report.counts.global_load_requests = report.counts.global_store_requests = requests;
  report.counts.global_load_sectors = requests * 4;
  report.counts.global_store_sectors =
      static_cast<std::uint64_t>(static_cast<double>(requests) * sectors_per_request);
  report.touched_bytes = report.touched_of_grid = requests * 256;
  report.counts.by_class[static_cast<std::size_t>(simt::OpClass::integer)].warps = requests * 12;
  report.counts.longest_warp = 14;
  return report;
}

TEST(SimtEstimate, GrowsWithWorkAndWithWaste) {
  const DeviceFacts h200 = *known_device("h200");
  const double small = simt::estimate(streaming_report(1000, 4), spec_of(h200)).us;
  const double large = simt::estimate(streaming_report(1'000'000, 4), spec_of(h200)).us;
  const double wasteful = simt::estimate(streaming_report(1'000'000, 32), spec_of(h200)).us;
  EXPECT_LT(small, large);
  EXPECT_LT(large * 1.5, wasteful);
  // 2.05 GB cannot take less than its share of 4.8 TB/s.
  EXPECT_GT(large, 2.048e9 / 4.8e6);
  EXPECT_LT(large, 3 * 2.048e9 / 4.8e6);
}

TEST(SimtEstimate, ASampleStandsForTheWholeGrid) {
  const DeviceFacts h200 = *known_device("h200");
  simt::LaunchReport sample = streaming_report(1000, 4);
  sample.blocks_total = 1'000'000;
  sample.touched_of_grid *= 1000;
  const double whole = simt::estimate(streaming_report(1'000'000, 4), spec_of(h200)).us;
  EXPECT_NEAR(simt::estimate(sample, spec_of(h200)).us, whole, 0.01 * whole);
}

TEST(SimtEstimate, OccupancyFollowsTheScarcestResource) {
  const DeviceFacts h200 = *known_device("h200");
  simt::LaunchReport report = streaming_report(1000, 4);
  EXPECT_DOUBLE_EQ(simt::estimate(report, spec_of(h200)).occupancy, 1);
  report.registers = 128;
  EXPECT_DOUBLE_EQ(simt::estimate(report, spec_of(h200)).occupancy, 0.25);
  report.registers = 24;
  report.shared_bytes = 100 << 10;
  EXPECT_DOUBLE_EQ(simt::estimate(report, spec_of(h200)).occupancy, 0.25);
}

TEST(SimtFindings, NamesTheLineOfUncoalescedStoresAndConflicts) {
  simt::LaunchReport report = streaming_report(100, 32);
  report.counts.shared_wavefronts = 6400;
  report.traffic = {
      {.file = "/x/candidate.cu",
       .line = 12,
       .is_store = true,
       .requests = 800,
       .bytes = 800 * 128,
       .sectors = 800 * 32},
      {.file = "/x/candidate.cu", .line = 11, .requests = 800, .bytes = 800 * 128, .sectors = 3200},
      {.file = "/x/candidate.cu",
       .line = 9,
       .is_shared = true,
       .requests = 200,
       .bytes = 25600,
       .wavefronts = 6400,
       .ideal_wavefronts = 200}};
  const auto findings = findings_of(report, {.occupancy = 1}, "candidate.cu");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].kind, FindingKind("uncoalesced"));
  EXPECT_EQ(findings[0].line, 12);
  EXPECT_THAT(findings[0].message, testing::HasSubstr("8.0 times"));
  EXPECT_EQ(findings[1].kind, FindingKind("bank_conflict"));
  EXPECT_EQ(findings[1].line, 9);
}

TEST(SimtFindings, LinesOfHeadersAreNotTheCandidates) {
  simt::Fault fault{.kind = simt::FaultKind::shared_race,
                    .kernel = "k",
                    .file = "ww_math.h",
                    .line = 30,
                    .detail = "two warps write",
                    .occurrences = 4};
  const Fault mapped = fault_of(fault, "candidate.cu");
  EXPECT_EQ(mapped.verdict, Verdict::race);
  EXPECT_EQ(mapped.line, 0);
  EXPECT_THAT(mapped.message, testing::AllOf(testing::HasSubstr("two warps write"),
                                             testing::HasSubstr("4 occurrences")));
}

}  // namespace
}  // namespace warpwright::device
