// SPDX-License-Identifier: Apache-2.0
#include "core/launch_plan.h"

#include <gtest/gtest.h>

#include "core/launch_plan_order.h"

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
  launch.clustered = true;
  launch.shared_bytes = 65536;
  launch.cooperative = true;
  launch.overlaps = true;
  launch.carveout = 50;
  launch.parameters = words({0, 0, 7});
  launch.parameter_offsets = {0, 8, 16};
  launch.pointers = {{0, {0, 0}}, {8, {2, 16}}};
  plan.steps = {
      Allocate{2},
      Memset{PlanAddress{2, 0}, 0xFFFF, 2, 16, 4, 64},
      Upload{PlanAddress{3, 8}, std::string("\x00\x01\xFFhello", 8), 2, 16, {{0, {1, -8}}}},
      DeviceCopy{PlanAddress{1, 128}, PlanAddress{0, 0}, 32, 4, 64, 128},
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
  plan.steps = {Memset{PlanAddress{0, 4092}, 0, 1, 5, 1, 0}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {Memset{PlanAddress{0, -1}, 0, 1, 1, 1, 0}};
  expect_refused(plan, "outside of its buffer");
  plan.steps = {DeviceCopy{PlanAddress{0, 0}, PlanAddress{1, 0}, 1024, 5, 1024, 1024}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {DeviceCopy{PlanAddress{0, 0}, PlanAddress{1, 0}, 8, ~std::uint64_t{0}, 8, 8}};
  expect_refused(plan, "leaves its buffer");
  plan.steps = {DeviceCopy{PlanAddress{0, 0}, PlanAddress{1, 0}, 8, 2, 4, 8}};
  expect_refused(plan, "pitch below");
  plan.steps = {Memset{PlanAddress{0, 0}, 0, 4, std::uint64_t{1} << 62, 1, 0}};
  expect_refused(plan, "leaves its buffer");
}

TEST(LaunchPlan, RefusesStrangeAddresses) {
  auto plan = full_plan();
  plan.steps = {Memset{{4, 0}, 0, 1, 4, 1, 0}};
  expect_refused(plan, "belongs to no buffer");
  plan.steps = {Memset{PlanAddress{9, 0}, 0, 1, 4, 1, 0}};
  expect_refused(plan, "belongs to no buffer");
}

TEST(LaunchPlan, ScratchLivesOnceFromAllocateToFree) {
  auto plan = full_plan();
  plan.steps = {Memset{PlanAddress{2, 0}, 0, 1, 4, 1, 0}};
  expect_refused(plan, "not allocated");
  plan.steps = {Allocate{2}, Free{2}, Memset{PlanAddress{2, 0}, 0, 1, 4, 1, 0}};
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
  expect_refused(with([](auto& l) { l.clustered = false; }), "nobody asked for");
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
  EXPECT_FALSE(plan_from_text(replaced("\"version\":2", "\"version\":1")).ok());
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

TEST(LaunchPlan, PointersLieInTheBytesAndApart) {
  const auto with = [](std::vector<AddressUse> pointers) {
    auto plan = full_plan();
    std::get<KernelLaunch>(plan.steps[4]).pointers = std::move(pointers);
    return plan;
  };
  EXPECT_TRUE(check_plan(with({{0, {1, -8}}, {16, {3, 1 << 20}}})).ok());
  EXPECT_TRUE(check_plan(with({{3, {1, 0}}})).ok()) << "packed structures have odd offsets";
  expect_refused(with({{17, {0, 0}}}), "leave the bytes");
  expect_refused(with({{~std::size_t{0}, {0, 0}}}), "leave the bytes");
  expect_refused(with({{0, {0, 0}}, {7, {0, 0}}}), "not ascending");
  expect_refused(with({{0, {4, 0}}}), "belongs to no buffer");
}

TEST(LaunchPlan, StepsWaitForEarlierOnes) {
  auto plan = full_plan();
  plan.order = {{0, {}}, {1, {0}}, {2, {0}}, {2, {}}, {1, {3}}, {0, {1, 4}}};
  ASSERT_TRUE(check_plan(plan).ok());
  const auto back = plan_from_text(plan_to_text(plan));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, plan);
  auto bad = plan;
  bad.order[2].after = {2};
  expect_refused(bad, "not before it");
  bad = plan;
  bad.order[5].after = {4, 1};
  expect_refused(bad, "not before it");
  bad = plan;
  bad.order[3].stream = kMaxPlanStreams;
  expect_refused(bad, "too many streams");
  bad = plan;
  bad.order.pop_back();
  EXPECT_FALSE(check_plan(bad).ok());
}

TEST(Relocate, WritesWhatIsListedAndNothingElse) {
  std::string bytes = words({7, 0x20000, 0}) + "tail";
  relocate(bytes, {{0, {1, 20}}, {17, {3, -4}}}, {0x10000, 0x20000, 0x30000, 0x40000});
  EXPECT_EQ(bytes.substr(0, 16), words({0x20014, 0x20000})) << "what looks like a base is data";
  EXPECT_EQ(bytes.substr(16, 9), std::string(1, '\0') + words({0x3FFFC}));
  EXPECT_EQ(bytes.substr(25), "ail");
}

LaunchPlan plan_of(std::vector<StepOrder> order) {
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .symbol = "", .bytes = 64}};
  plan.steps.assign(order.size(), Memset{PlanAddress{0, 0}, 0, 1, 1, 1, 0});
  plan.order = std::move(order);
  return plan;
}

TEST(PlanOrder, OneStreamIsASequence) {
  const LaunchPlan plain = full_plan();
  EXPECT_TRUE(PlanOrder(plain).in_sequence());
  const LaunchPlan one = plan_of({{1, {}}, {1, {}}, {2, {1}}, {1, {2}}});
  EXPECT_TRUE(PlanOrder(one).in_sequence());
  EXPECT_EQ(PlanOrder(one).latest_first(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(PlanOrder, EventsOrderWhatTheyReach) {
  // 0 and 1 are queued on two streams, 2 waits for both, 3 for the second only.
  const LaunchPlan plan = plan_of({{1, {}}, {2, {}}, {1, {1}}, {2, {}}, {3, {2}}});
  const PlanOrder order(plan);
  EXPECT_FALSE(order.in_sequence());
  EXPECT_FALSE(order.before(0, 1));
  EXPECT_TRUE(order.before(0, 2));
  EXPECT_TRUE(order.before(1, 2));
  EXPECT_FALSE(order.before(0, 3));
  EXPECT_TRUE(order.before(1, 3));
  EXPECT_FALSE(order.before(2, 3));
  EXPECT_TRUE(order.before(0, 4)) << "by way of 2";
  EXPECT_FALSE(order.before(3, 4));
  EXPECT_EQ(order.latest_first(), (std::vector<std::uint32_t>{1, 3, 0, 2, 4}));
}

TEST(PlanOrder, MemoryOfTheHostIsThereAtOnce) {
  LaunchPlan plan = plan_of({{1, {}}, {0, {}}, {1, {1}}});
  EXPECT_FALSE(PlanOrder(plan).in_sequence());
  plan.buffers.push_back({.kind = BufferKind::scratch, .argument = 0, .symbol = "", .bytes = 4});
  plan.steps[1] = Allocate{1};
  EXPECT_TRUE(PlanOrder(plan).in_sequence());
}

}  // namespace
}  // namespace warpwright
