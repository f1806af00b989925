// SPDX-License-Identifier: Apache-2.0
#include "device/simt_replay_conflicts.h"

#include <gtest/gtest.h>

namespace warpwright::device {
namespace {

using Ranges = StepAccesses::Ranges;

/// Two steps on two streams; `ordered`: the second one waits for the first.
std::optional<StepConflict> conflict(const StepAccesses& first, const StepAccesses& second,
                                     bool ordered = false) {
  LaunchPlan plan;
  plan.steps = {Memset{}, Memset{}, Memset{}};
  plan.order = {{1, {}},
                {2, ordered ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{}},
                {3, {}}};
  return find_conflict(PlanOrder(plan), {first, second, {}});
}

TEST(StepConflicts, AreExactToTheByte) {
  const StepAccesses left{{}, {{100, 104}}, {}}, right{{}, {{104, 108}}, {}};
  EXPECT_FALSE(conflict(left, right)) << "neighbours";
  const StepAccesses over{{}, {{90, 91}, {103, 105}}, {}};
  const auto found = conflict(left, over);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, 103U);
  EXPECT_TRUE(found->both_write);
  EXPECT_EQ(found->first, 0U);
  EXPECT_EQ(found->second, 1U);
  EXPECT_FALSE(conflict(left, over, true)) << "an event between them";
}

TEST(StepConflicts, ReadsAndAtomicsAmongThemselvesAreFine) {
  const StepAccesses reads{{{0, 64}}, {}, {}}, writes{{}, {{60, 61}}, {}},
      atomics{{}, {}, {{8, 12}}};
  EXPECT_FALSE(conflict(reads, reads));
  EXPECT_FALSE(conflict(atomics, atomics));
  EXPECT_TRUE(conflict(reads, writes));
  EXPECT_TRUE(conflict(writes, reads));
  EXPECT_TRUE(conflict(reads, atomics));
  EXPECT_TRUE(conflict(atomics, reads));
  EXPECT_FALSE(conflict(atomics, writes)) << "elsewhere";
}

TEST(AccessLog, KeepsBytesApart) {
  simt::AccessLog log;
  log.note(simt::ByteUse::read, 4000, 200);
  log.note(simt::ByteUse::read, 4100, 100);
  log.note(simt::ByteUse::write, 63, 2);
  log.note(simt::ByteUse::write, 130, 1);
  const auto reads = log.take(simt::ByteUse::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].begin, 4000U);
  EXPECT_EQ(reads[0].end, 4200U);
  const auto writes = log.take(simt::ByteUse::write);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].begin, 63U);
  EXPECT_EQ(writes[0].end, 65U);
  EXPECT_EQ(writes[1].end, 131U);
  EXPECT_TRUE(log.take(simt::ByteUse::write).empty());
  EXPECT_TRUE(log.take(simt::ByteUse::atomic).empty());
}

/// A kernel, then others of the same stream; the last one may begin early.
LaunchPlan early_plan(std::vector<PlanStep> between, std::vector<std::uint32_t> after = {}) {
  KernelLaunch first{.kernel = "first"}, last{.kernel = "last"};
  last.overlaps = true;
  LaunchPlan plan;
  plan.steps.push_back(first);
  for (PlanStep& step : between) plan.steps.push_back(std::move(step));
  plan.steps.push_back(last);
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    plan.order.push_back({.stream = std::holds_alternative<Allocate>(plan.steps[i]) ? 0U : 1U});
  plan.order.back().after = std::move(after);
  return plan;
}

TEST(OverlappedLaunch, IsTheKernelBeforeOnTheStream) {
  EXPECT_EQ(overlapped_launch(early_plan({}), 1), 0U);
  EXPECT_EQ(overlapped_launch(early_plan({Allocate{}}), 2), 0U);
  EXPECT_TRUE(has_overlaps(early_plan({})));
  EXPECT_FALSE(overlapped_launch(early_plan({}), 0));
}

TEST(OverlappedLaunch, IsNoneBehindOtherStepsOrAWait) {
  EXPECT_FALSE(overlapped_launch(early_plan({Memset{}}), 2));
  EXPECT_FALSE(overlapped_launch(early_plan({}, {0}), 1));
  EXPECT_FALSE(has_overlaps(early_plan({Memset{}})));
}

}  // namespace
}  // namespace warpwright::device
