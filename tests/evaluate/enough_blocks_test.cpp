// SPDX-License-Identifier: Apache-2.0
// A part of the blocks stands for all; where it does too little, more of them are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "evaluate/measure.h"

namespace warpwright::evaluate {
namespace {

/// Writes what it is told to for so many times as many blocks.
class FakeReplay : public device::Replay {
 public:
  explicit FakeReplay(std::function<device::RunReport(std::uint64_t)> report)
      : report_(std::move(report)) {}
  Result<device::RunReport> run(const device::RunOptions& options) override {
    times.push_back(options.sample_times);
    device::RunReport report = report_(options.sample_times);
    report.work = grows ? options.sample_times : 1;
    return report;
  }
  Status queue() override { return {}; }
  std::vector<std::uint64_t> times;
  bool grows = true;  ///< where more blocks are asked for, more are run

 private:
  std::function<device::RunReport(std::uint64_t)> report_;
};

device::RunReport wrote(double bytes, bool complete = false) {
  device::RunReport report;
  report.written_bytes = bytes;
  report.complete = complete;
  return report;
}

Result<bool> less_than_all(const device::RunReport& report) { return report.written_bytes < 1; }

double written_by(FakeReplay& replay) {
  return run_enough(replay, {.may_sample = true}, less_than_all)->written_bytes;
}

TEST(EnoughBlocks, OneSampleIsEnoughWhereItDidItsShare) {
  FakeReplay replay([](std::uint64_t) { return wrote(1); });
  EXPECT_EQ(written_by(replay), 1);
  EXPECT_THAT(replay.times, testing::ElementsAre(1));
}

TEST(EnoughBlocks, MoreBlocksAreRunWhereAFewDidTooLittle) {
  FakeReplay replay([](std::uint64_t times) { return wrote(times == 1 ? 0.5 : 1.01); });
  EXPECT_EQ(written_by(replay), 1.01);
  EXPECT_THAT(replay.times, testing::ElementsAre(1, 4));
}

TEST(EnoughBlocks, WhatSkipsItsWorkStaysTooLittle) {
  FakeReplay replay([](std::uint64_t) { return wrote(0.5); });
  EXPECT_EQ(written_by(replay), 0.5);
  EXPECT_THAT(replay.times, testing::ElementsAre(1, 4, 16));
}

TEST(EnoughBlocks, AsManyBlocksAreNotAskedForAgain) {
  FakeReplay replay([](std::uint64_t) { return wrote(0.5); });
  replay.grows = false;
  EXPECT_EQ(written_by(replay), 0.5);
  EXPECT_THAT(replay.times, testing::ElementsAre(1, 4));
}

TEST(EnoughBlocks, WholeGridsAndFaultsAreNotRunAgain) {
  FakeReplay whole([](std::uint64_t) { return wrote(0.5, true); });
  EXPECT_EQ(written_by(whole), 0.5);
  FakeReplay faulty([](std::uint64_t) {
    device::RunReport report = wrote(0.5);
    report.faults.push_back({.verdict = Verdict::timeout});
    return report;
  });
  EXPECT_EQ(written_by(faulty), 0.5);
  EXPECT_THAT(whole.times, testing::ElementsAre(1));
  EXPECT_THAT(faulty.times, testing::ElementsAre(1));
}

}  // namespace
}  // namespace warpwright::evaluate
