// SPDX-License-Identifier: Apache-2.0
#include "build/recording.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "build/host_time.h"
#include "build/parameter_reads.h"
#include "build/recorder/addresses.h"
#include "build/recorder/wire.h"

namespace warpwright::build {
namespace {

using ww_recorder::AddressSpace;
using ww_recorder::Wire;

constexpr std::uint64_t kFirst = 11, kSecond = 12;

/// A call with two buffers of 64 bytes, as one process writes it down.
struct Process {
  explicit Process(std::uint64_t seed) : space(seed), x(space.place(64)), y(space.place(64)) {}

  [[nodiscard]] std::string said(const std::string& parameters, std::uint32_t grid = 1) const {
    Wire plan;
    plan.u32(ww_recorder::kWireVersion).u64(0).u64(0).u32(2);
    for (std::uint32_t i = 0; i < 2; ++i) plan.u8(0).u32(i).block("").u64(64);
    plan.u32(2);
    plan.u32(1).u32(0).u8(1).u64(y).u32(0).u64(64).u64(1).u64(64);
    plan.u32(2).u32(1).u32(0).u8(0).block("k").u32(grid);
    for (int i = 0; i < 8; ++i) plan.u32(1);
    plan.u8(0).u32(0).u8(0).u8(0).i32(-1).block(parameters);
    Wire all;
    all.u8('D').u8('P').block(plan.bytes);
    return all.bytes;
  }

  AddressSpace space;
  std::uint64_t x, y;
};

std::string words(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

Result<LaunchPlan> joined(
    const std::string& first, const std::string& second,
    const ReadsParameter& reads = [](auto, auto) { return true; }) {
  const Testimony a = read_testimony(first), b = read_testimony(second);
  if (a.recordings.empty() || b.recordings.empty()) return Error{"not read"};
  return common_plan({a.recordings[0], kFirst, b.recordings[0], kSecond}, reads);
}

TEST(AddressSpace, LooksLikeADevice) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    AddressSpace space(seed), again(seed);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t bytes = std::uint64_t{1} << (i % 35);
      const std::uint64_t at = space.place(bytes);
      ASSERT_EQ(at, again.place(bytes)) << "the judge computes the same";
      EXPECT_EQ(at % 256, 0U);
      EXPECT_EQ(at >> 47, 0U);
      EXPECT_TRUE(space.holds(at) && space.holds(at + bytes - 1));
      for (const auto& [begin, end] : taken) EXPECT_TRUE(at + bytes <= begin || end <= at);
      taken.emplace_back(at, at + bytes);
    }
  }
  EXPECT_NE(AddressSpace(1).place(64), AddressSpace(2).place(64));
}

TEST(CommonPlan, WhatMovesWithABufferIsAPointerToIt) {
  const Process a(kFirst), b(kSecond);
  const auto plan =
      joined(a.said(words({a.x + 8, 7, a.y - 4})), b.said(words({b.x + 8, 7, b.y - 4})));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto& launch = std::get<KernelLaunch>(plan->steps[1]);
  EXPECT_EQ(launch.pointers, (std::vector<AddressUse>{{0, {0, 8}}, {16, {1, -4}}}));
  EXPECT_EQ(launch.parameters, words({0, 7, 0}));
  EXPECT_EQ(std::get<Memset>(plan->steps[0]).destination, (PlanAddress{1, 0}));
  EXPECT_EQ(plan->order[1], (StepOrder{2, {0}}));
}

TEST(CommonPlan, AnAddressThatDoesNotMoveIsData) {
  const Process a(kFirst), b(kSecond);
  const auto plan = joined(a.said(words({a.x})), b.said(words({a.x})));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(std::get<KernelLaunch>(plan->steps[1]).pointers.empty());
  EXPECT_EQ(std::get<KernelLaunch>(plan->steps[1]).parameters, words({a.x}));
}

TEST(CommonPlan, OtherDifferencesAreRefused) {
  const Process a(kFirst), b(kSecond);
  const auto differ = [](const Result<LaunchPlan>& plan) {
    return !plan.ok() && plan.error().message.find("once more") != std::string::npos;
  };
  EXPECT_TRUE(differ(joined(a.said(words({5})), b.said(words({6})))));
  EXPECT_TRUE(differ(joined(a.said(words({5}), 1), b.said(words({5}), 2))));
  EXPECT_TRUE(differ(joined(a.said(words({5})), b.said(words({5, 5})))));
  EXPECT_TRUE(differ(joined(a.said(words({a.y - a.x})), b.said(words({b.y - b.x})))));
  EXPECT_TRUE(differ(joined(a.said(words({a.x})), b.said(words({b.x + 4})))));
  EXPECT_TRUE(differ(joined(a.said(words({a.x ^ 1})), b.said(words({~b.x})))));
}

TEST(CommonPlan, PaddingIsZero) {
  const Process a(kFirst), b(kSecond);
  const ReadsParameter reads = [](auto, std::size_t position) { return position < 12; };
  const auto plan = joined(a.said(words({a.x, 0x1111111100000001})),
                           b.said(words({b.x, 0x2222222200000001})), reads);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(std::get<KernelLaunch>(plan->steps[1]).parameters, words({0, 1}));
  EXPECT_FALSE(joined(a.said(words({a.x, 2})), b.said(words({b.x, 1})), reads).ok());
}

TEST(ReadTestimony, AnyBytesGiveOne) {
  const std::string good = Process(kFirst).said(words({1, 2, 3}));
  ASSERT_EQ(read_testimony(good).recordings.size(), 1U);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_TRUE(read_testimony(good.substr(0, cut)).recordings.empty()) << cut;
  }
  EXPECT_EQ(read_testimony(good + good).recordings.size(), 2U) << "one for each call";
  EXPECT_TRUE(read_testimony(good + "x").recordings.empty());
  EXPECT_TRUE(read_testimony(good + good.substr(0, 20)).recordings.empty());
  const Process first(kFirst), second(kSecond);
  const LaunchPlan sound =
      joined(first.said(words({first.x, first.y, 3})), second.said(words({second.x, second.y, 3})))
          .value();
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    const Testimony testimony = read_testimony(bad);
    if (testimony.recordings.empty()) continue;
    const Recording& recording = testimony.recordings[0];
    const auto plan =
        common_plan({recording, kFirst, recording, kSecond}, [](auto, auto) { return true; });
    if (plan.ok()) (void)check_plan(*plan).ok();
    (void)does_the_same(sound, {recording, kFirst}, [](auto, auto) { return true; }).ok();
  }
  Wire verdict;
  verdict.u8(1).u64(77).block("too many");
  Wire all;
  all.u8('V').block(verdict.bytes);
  const Testimony refused = read_testimony(all.bytes);
  EXPECT_EQ(refused.verdict, Verdict::launch_error);
  EXPECT_EQ(refused.place, 77U);
  EXPECT_EQ(refused.message, "too many");
}

TEST(ParameterReads, BytesThatAreLoaded) {
  const std::string ptx = R"(
.visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[24], .param .b32 k_param_2) {
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [k_param_0];
  ld.param.v2.f32 {%f1, %f2}, [k_param_1+8];
  ld.param.u8 %rs1, [k_param_1+16];
  ret;
}
.visible .entry escapes(.param .align 8 .b8 p[16]) {
  mov.b64 %rd1, p;
  ld.param.u32 %r1, [%rd1+4];
  ret;
})";
  const auto entries = ptx::entries_of(ptx);
  ASSERT_TRUE(entries.ok());
  const ParameterReads reads(ptx, *entries);
  for (const std::size_t position : {0, 7, 16, 23, 24}) EXPECT_TRUE(reads.reads("k", position));
  for (const std::size_t position : {8, 15, 25, 31, 32, 35}) {
    EXPECT_FALSE(reads.reads("k", position)) << position;
  }
  EXPECT_TRUE(reads.reads("escapes", 0) && reads.reads("escapes", 15));
  EXPECT_TRUE(reads.reads("k", 1000) && reads.reads("nobody", 0)) << "in doubt";
}

TEST(HostTime, LaunchesAreFreeAndWorkIsNot) {
  LaunchPlan plan;
  plan.steps.emplace_back(KernelLaunch{});
  EXPECT_EQ(host_time_us(plan, 60, 100), 0);
  EXPECT_NEAR(host_time_us(plan, 5000, 100), 4849, 1);
  EXPECT_NEAR(host_time_us(plan, 60, 50000), 49799, 1) << "work after the return counts too";
  EXPECT_NEAR(host_time_us(plan, 60, 2500), 2299, 1) << "also where it is little";
  plan.host_us = 3;
  EXPECT_EQ(host_excess_us(plan), 0);
  plan.host_us = 1000;
  EXPECT_NEAR(host_excess_us(plan), 1000 - launch_cost_us(plan), 1e-9);
  plan.host_us = 0;
  plan.steps.emplace_back(Upload{{0, 0}, std::string(12 << 20, ' '), 1, 0, {}});
  EXPECT_NEAR(host_excess_us(plan), 1049, 1) << "12 MiB over the bus";
}

}  // namespace
}  // namespace warpwright::build
