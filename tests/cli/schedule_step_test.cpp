// SPDX-License-Identifier: Apache-2.0
// The step of a run after its winner is known, with a stand-in for the GPU.
#include "cli/schedule_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/sha256.h"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

class Listener final : public search::Observer {
 public:
  void on_state(const search::SearchState&) override {}
  void on_trial(const search::Trial&, const search::SearchState&) override {}
  void on_event(std::string_view kind, std::string_view text, const search::SearchState&) override {
    heard += std::string(kind) + ": " + std::string(text) + "\n";
  }
  std::string heard;
};

class ScheduleStepTest : public testing::Test {
 protected:
  ScheduleStepTest()
      : folder_(std::move(TemporaryDirectory::create("ww-step-")).value()),
        archive_(std::move(store::Archive::open(folder_.path() / "archive.db", clock_)).value()) {
    store::RunRecord run;
    run.task = "copy";
    run_ = archive_->find_run(archive_->create_run(run, {}).value()).value();
    search::Trial best;
    best.source = "the winner";
    ending_.best = best;
  }

  void step(const std::string& no_gpu = "", double minutes = 2) {
    listener_.heard.clear();
    tune_schedule({.archive = *archive_,
                   .run = run_,
                   .pattern = {},
                   .no_gpu = no_gpu,
                   .minutes = minutes,
                   .tune =
                       [this](const evaluate::JobRequest& request, double within) {
                         ++tuned_;
                         EXPECT_EQ(request.source, "the winner");
                         EXPECT_EQ(within, 2);
                         return result_;
                       }},
                  ending_, listener_);
  }

  static SassTuned gained() {
    SassTuned tuned;
    tuned.improvement.schedule.accepted = true;
    tuned.improvement.whole = {.ratio = 0.98, .low = 0.97, .high = 0.99};
    tuned.improvement.cubin = "machine code";
    tuned.report = "{}";
    return tuned;
  }

  TemporaryDirectory folder_;
  SystemClock clock_;
  std::unique_ptr<store::Archive> archive_;
  store::RunRecord run_;
  search::Ending ending_;
  Listener listener_;
  Result<SassTuned> result_ = gained();
  int tuned_ = 0;
};

TEST_F(ScheduleStepTest, StoresWhatWasGainedAndDoesNotRepeatIt) {
  step();
  EXPECT_THAT(listener_.heard, HasSubstr("sass: 2.04 % faster (95 %: 1.01 to 3.09"));
  const auto derived = archive_->derived(run_.id, store::Archive::Content::read).value();
  ASSERT_EQ(derived.size(), 1U);
  EXPECT_TRUE(derived[0].accepted);
  EXPECT_EQ(derived[0].source_sha256, sha256_hex("the winner"));
  EXPECT_EQ(derived[0].content, "machine code");
  EXPECT_EQ(ending_.best->source, "the winner") << "never replaced";
  step();
  EXPECT_EQ(tuned_, 1);
  EXPECT_EQ(listener_.heard, "");
}

TEST_F(ScheduleStepTest, WhatGainedNothingIsNotTriedAgainEither) {
  SassTuned kept;
  kept.improvement.schedule.why_not = "no schedule was faster";
  result_ = kept;
  step();
  step();
  EXPECT_EQ(tuned_, 1);
  const auto derived = archive_->derived(run_.id, store::Archive::Content::read).value();
  ASSERT_EQ(derived.size(), 1U);
  EXPECT_FALSE(derived[0].accepted);
  EXPECT_EQ(derived[0].content, "");
  EXPECT_THAT(derived[0].summary, HasSubstr("no schedule was faster"));
}

TEST_F(ScheduleStepTest, TroubleIsANoteAndMayBeTriedAgain) {
  result_ = Error{"nvdisasm was not found"};
  step();
  EXPECT_THAT(listener_.heard, HasSubstr("nvdisasm was not found"));
  EXPECT_TRUE(archive_->derived(run_.id).value().empty());
  result_ = gained();
  step();
  EXPECT_EQ(tuned_, 2);
  EXPECT_EQ(archive_->derived(run_.id).value().size(), 1U);
}

TEST_F(ScheduleStepTest, WithoutAGpuThereIsANote) {
  step("no GPU here");
  EXPECT_EQ(listener_.heard, "sass: no GPU here\n");
  EXPECT_EQ(tuned_, 0);
}

TEST_F(ScheduleStepTest, IsNotTakenBeforeTheEnd) {
  step("", 0);
  ending_.status = store::RunStatus::stopped;
  step();
  ending_.status = store::RunStatus::finished;
  ending_.best.reset();
  step();
  EXPECT_EQ(tuned_, 0);
  EXPECT_EQ(listener_.heard, "");
}

}  // namespace
}  // namespace warpwright::cli
