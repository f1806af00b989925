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
  EXPECT_THAT(sampled_blocks(5, 9), testing::ElementsAre(0, 1, 2, 3, 4));
  const auto blocks = sampled_blocks(1'000'000, 64);
  EXPECT_EQ(blocks.size(), 65U);
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
  EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());
  EXPECT_EQ(blocks.front(), 0U);
  EXPECT_EQ(blocks.back(), 999'999U);
  EXPECT_NEAR(static_cast<double>(blocks[32]), 500'000, 1000);
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
  const auto report = launch_sampled(launcher.machine(), launcher.module(), launch);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->blocks_run, 16U);
  EXPECT_EQ(launcher.get<std::uint32_t>(out, 1)[0], 16U);
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
  report.touched_bytes = requests * 256;
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
