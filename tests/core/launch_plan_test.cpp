// SPDX-License-Identifier: Apache-2.0
#include "core/launch_plan.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpwright {
namespace {

std::string words(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

/// Uses every kind of buffer and step.
LaunchPlan full_plan() {
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = 4096},
                  {.kind = BufferKind::argument, .argument = 2, .bytes = 4096},
                  {.kind = BufferKind::scratch, .bytes = 1024},
                  {.kind = BufferKind::symbol, .symbol = "weights", .bytes = 64}};
  plan.stack_bytes = 2048;
  plan.heap_bytes = 1 << 20;
  KernelLaunch launch;
  launch.kernel = "_Z6kernelPfS_i";
  launch.grid = {4, 2, 1};
  launch.block = {32, 4, 2};
  launch.cluster = {2, 1, 1};
  launch.shared_bytes = 65536;
  launch.cooperative = true;
  launch.overlaps = true;
  launch.carveout = 50;
  launch.parameters = words({tagged_address(0), tagged_address(2, 16), 7});
  launch.parameter_offsets = {0, 8, 16};
  plan.steps = {Allocate{2},
                Memset{tagged_address(2), 0xFFFF, 2, 16, 4, 64},
                Upload{tagged_address(3, 8), std::string("\x00\x01\xFFhello", 8), 2, 16},
                DeviceCopy{tagged_address(1, 128), tagged_address(0), 32, 4, 64, 128},
                launch,
                Free{2}};
  return plan;
}

void expect_refused(const LaunchPlan& plan, std::string_view part) {
  const Status status = check_plan(plan);
  ASSERT_FALSE(status.ok()) << "expected: " << part;
  EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  const auto text = plan_from_text(plan_to_text(plan));
  EXPECT_FALSE(text.ok()) << "the text form must refuse what the check refuses";
}

TEST(PlanAddress, RoundTripsOffsetsOnBothSides) {
  for (const std::uint32_t buffer : {0U, 1U, 77U, 4095U}) {
    for (const std::int64_t offset :
         {std::int64_t{0}, std::int64_t{-4}, std::int64_t{1} << 38, -(std::int64_t{1} << 38)}) {
      const auto back = untagged(tagged_address(buffer, offset));
      ASSERT_TRUE(back.has_value());
      EXPECT_EQ(*back, (PlanAddress{buffer, offset}));
    }
  }
}

TEST(PlanAddress, PointerArithmeticStaysInTheBuffer) {
  EXPECT_EQ(*untagged(tagged_address(5) + 12), (PlanAddress{5, 12}));
  EXPECT_EQ(*untagged(tagged_address(5) - 4), (PlanAddress{5, -4}));
}

TEST(PlanAddress, HostAddressesAndSmallNumbersAreNotTagged) {
  int local = 0;
  EXPECT_FALSE(untagged(reinterpret_cast<std::uintptr_t>(&local)));
  EXPECT_FALSE(untagged(0));
  EXPECT_FALSE(untagged(~std::uint64_t{0}));
  EXPECT_FALSE(untagged(0x00007FFFFFFFFFFF));
}

TEST(LaunchPlan, FullPlanIsAcceptedAndRoundTrips) {
  const LaunchPlan plan = full_plan();
  const Status status = check_plan(plan);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto back = plan_from_text(plan_to_text(plan));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, plan);
}

TEST(LaunchPlan, EmptyPlanRoundTrips) {
  const auto back = plan_from_text(plan_to_text({}));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, LaunchPlan{});
}

TEST(LaunchPlan, RefusesRangesThatLeaveTheirBuffer) {
  auto plan = full_plan();
  plan.steps = {Memset{tagged_address(0, 4092), 0, 1, 5, 1, 0}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {Memset{tagged_address(0, -1), 0, 1, 1, 1, 0}};
  expect_refused(plan, "outside of its buffer");
  plan.steps = {DeviceCopy{tagged_address(0), tagged_address(1), 1024, 5, 1024, 1024}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {DeviceCopy{tagged_address(0), tagged_address(1), 8, ~std::uint64_t{0}, 8, 8}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {DeviceCopy{tagged_address(0), tagged_address(1), 8, 2, 4, 8}};
  expect_refused(plan, "pitch below");
  plan.steps = {Memset{tagged_address(0), 0, 4, std::uint64_t{1} << 62, 1, 0}};
  expect_refused(plan, "leaves its buffer");
}

TEST(LaunchPlan, RefusesStrangeAddresses) {
  auto plan = full_plan();
  plan.steps = {Memset{0x1000, 0, 1, 4, 1, 0}};
  expect_refused(plan, "belongs to no buffer");
  plan.steps = {Memset{tagged_address(9), 0, 1, 4, 1, 0}};
  expect_refused(plan, "belongs to no buffer");
}

TEST(LaunchPlan, ScratchLivesOnceFromAllocateToFree) {
  auto plan = full_plan();
  plan.steps = {Memset{tagged_address(2), 0, 1, 4, 1, 0}};
  expect_refused(plan, "not allocated");
  plan.steps = {Allocate{2}, Free{2}, Memset{tagged_address(2), 0, 1, 4, 1, 0}};
  expect_refused(plan, "not allocated");
  plan.steps = {Allocate{2}, Allocate{2}};
  expect_refused(plan, "not a new scratch");
  plan.steps = {Allocate{2}, Free{2}, Allocate{2}};
  expect_refused(plan, "not a new scratch");
  plan.steps = {Allocate{0}};
  expect_refused(plan, "not a new scratch");
  plan.steps = {Free{2}};
  expect_refused(plan, "not a live scratch");
}

TEST(LaunchPlan, RefusesImpossibleLaunches) {
  const auto with = [](auto change) {
    auto plan = full_plan();
    change(std::get<KernelLaunch>(plan.steps[4]));
    return plan;
  };
  expect_refused(with([](auto& l) { l.grid.y = 0; }), "zero dimension");
  expect_refused(with([](auto& l) { l.block = {1024, 2, 1}; }), "block is too large");
  expect_refused(with([](auto& l) { l.block = {65536, 65536, 1}; }), "block is too large");
  expect_refused(with([](auto& l) { l.grid = {4, 65536, 1}; }), "grid is too large");
  expect_refused(with([](auto& l) { l.grid.x = 5; }), "multiple of the cluster");
  expect_refused(with([](auto& l) { l.kernel = "a b"; }), "kernel name");
  expect_refused(with([](auto& l) { l.parameter_offsets = {0, 24}; }), "parameter offsets");
  expect_refused(with([](auto& l) { l.parameter_offsets = {8, 8}; }), "parameter offsets");
  expect_refused(with([](auto& l) { l.shared_bytes = 1U << 30; }), "shared memory");
}

TEST(LaunchPlan, TextOfTheWrongFormIsAnError) {
  const std::string good = plan_to_text(full_plan());
  for (const std::string bad : {"", "null", "[]", "{}", "{\"version\":1}", "\xFF\xFE"}) {
    EXPECT_FALSE(plan_from_text(bad).ok()) << bad;
  }
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    EXPECT_FALSE(plan_from_text(good.substr(0, cut)).ok());
  }
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_FALSE(plan_from_text(replaced("\"version\":1", "\"version\":2")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"height\":4", "\"height\":-4")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"height\":4", "\"height\":4.5")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"height\":4", "\"height\":99999999999999999999")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"scratch\"", "\"stack\"")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"memset\"", "\"rm\"")).ok());
  EXPECT_FALSE(plan_from_text(replaced("\"cooperative\":true", "\"cooperative\":1")).ok());
}

TEST(LaunchPlan, DeeplyNestedTextIsAnError) {
  EXPECT_FALSE(plan_from_text(std::string(200000, '[')).ok());
}

TEST(FindAddresses, FindsAlignedWordsOfExistingBuffersOnly) {
  const LaunchPlan plan = full_plan();
  const std::string bytes = words({tagged_address(1, -8), 42, tagged_address(4), 0}) + "tail";
  const std::vector<AddressUse> expected = {{0, {1, -8}}};
  EXPECT_EQ(find_addresses(bytes, plan), expected);
  EXPECT_TRUE(find_addresses("1234" + bytes, plan).empty()) << "unaligned words are data";
}

TEST(RelocateAddresses, KeepsOffsetsAndOtherBytes) {
  const LaunchPlan plan = full_plan();
  std::string bytes = words({tagged_address(1, 20), 42, tagged_address(3, -4)}) + "tail";
  relocate_addresses(bytes, plan, {0x10000, 0x20000, 0x30000, 0x40000});
  EXPECT_EQ(bytes, words({0x20014, 42, 0x3FFFC}) + "tail");
}

}  // namespace
}  // namespace warpwright
