// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "fleet/card.h"
#include "fleet/slurm.h"
#include "suite/load.h"

namespace warpwright::fleet {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Spools : public testing::Test {
 protected:
  Spool spool() { return Spool::create(folder_.path() / "spool", {.stale_s = 7}).value(); }
  static evaluate::JobRequest request(const std::string& source) {
    evaluate::JobRequest request;
    request.task = suite::load_embedded_task("copy").value();
    request.id = source;
    request.source = "// " + source;
    return request;
  }
  static Evaluation verdict() {
    Evaluation evaluation;
    evaluation.verdict = Verdict::mismatch;
    return evaluation;
  }
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-spool-")).value();
};

TEST_F(Spools, BelongToOneUserAlone) {
  const fs::path folder = folder_.path() / "spool";
  const Spool made = spool();
  struct stat facts {};
  ASSERT_EQ(::stat(folder.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  EXPECT_EQ(Spool::open(folder).value().rules().stale_s, 7);
  ::chmod(folder.c_str(), 0750);
  EXPECT_THAT(Spool::open(folder).error().message, HasSubstr("chmod 700"));
  ::chmod(folder.c_str(), 0700);
  fs::create_directory_symlink(folder, folder_.path() / "link");
  EXPECT_THAT(Spool::open(folder_.path() / "link").error().message, HasSubstr("not a folder"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_THAT(Spool::create(folder, {}).error().message, HasSubstr("belongs to user 12345"));
}

TEST_F(Spools, ManyMayMakeTheSameOne) {
  const fs::path folder = folder_.path() / "spool";
  std::vector<std::string> errors(16);
  {
    std::vector<std::jthread> threads;
    for (auto& error : errors) {
      threads.emplace_back([&] {
        const auto made = Spool::create(folder, {});
        if (!made.ok()) error = made.error().message;
      });
    }
  }
  EXPECT_THAT(errors, testing::Each(""));
}

TEST_F(Spools, AreNotMadeOfOtherFolders) {
  ASSERT_TRUE(make_directories(folder_.path() / "mine").ok());
  ::chmod((folder_.path() / "mine").c_str(), 0700);
  ASSERT_TRUE(write_file(folder_.path() / "mine" / "thesis.tex", "text").ok());
  EXPECT_THAT(Spool::create(folder_.path() / "mine", {}).error().message, HasSubstr("thesis.tex"));
  EXPECT_FALSE(Spool::open(folder_.path() / "nowhere").ok());
}

TEST_F(Spools, AJobIsInOnePlaceAtAnyTime) {
  const Spool box = spool();
  const std::string job = job_name(kAnyGpu, request("a"));
  const Waiting place{"q", job};
  ASSERT_TRUE(box.submit("q", job, request("a")).ok());
  ASSERT_TRUE(box.submit("q", job, request("a")).ok());
  EXPECT_EQ(box.waiting_count(), 1U);
  ASSERT_TRUE(box.enrol("p1").ok() && box.enrol("p2").ok());
  const auto taken = box.take("p1", place);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->read_request()->source, "// a");
  EXPECT_FALSE(box.take("p2", place).has_value());
  EXPECT_TRUE(box.knows("q", job));
  ASSERT_TRUE(taken->write_result(verdict()).ok());
  EXPECT_FALSE(box.finish("p2", place));
  EXPECT_TRUE(box.finish("p1", place));
  EXPECT_THAT(box.done("q"), Contains(job));
  EXPECT_TRUE(box.submit("q", job, request("a")).ok());
  EXPECT_EQ(box.waiting_count(), 0U);
  EXPECT_EQ(box.done_job("q", job).read_result()->verdict, Verdict::mismatch);
}

TEST_F(Spools, WhatADeadPilotHadIsDoneOrWaitsAgain) {
  const Spool box = spool();
  ASSERT_TRUE(box.enrol("p").ok());
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(box.submit("q", std::string("any~") + name, request(name)).ok());
    ASSERT_TRUE(box.take("p", {"q", std::string("any~") + name}).has_value());
  }
  const evaluate::JobDirectory judged(box.folder() / "taken" / "p" / "q~any~a");
  ASSERT_TRUE(judged.write_result(verdict()).ok());
  Reaper(box).look();  // there is no card of it
  EXPECT_THAT(box.done("q"), testing::ElementsAre("any~a"));
  EXPECT_THAT(box.waiting("q"), testing::ElementsAre("any~b"));
  EXPECT_THAT(box.pilots_with_jobs(), IsEmpty());
}

TEST_F(Spools, AnEarlierJudgesFilesDoNotReachTheNext) {
  const Spool box = spool();
  ASSERT_TRUE(box.enrol("p").ok());
  ASSERT_TRUE(box.submit("q", "any~a", request("a")).ok());
  auto taken = box.take("p", {"q", "any~a"});
  ASSERT_TRUE(write_file(taken->path() / "handed_over", "half").ok());
  ASSERT_TRUE(make_directories(taken->path() / "scratch" / "deep").ok());
  EXPECT_TRUE(box.give_back("p", {"q", "any~a"}, ""));
  taken = box.take("p", {"q", "any~a"});
  EXPECT_FALSE(fs::exists(taken->path() / "handed_over"));
  EXPECT_FALSE(fs::exists(taken->path() / "scratch"));
  EXPECT_TRUE(taken->read_request().ok());
}

TEST_F(Spools, AForgottenQueueLeavesNothing) {
  const Spool box = spool();
  ASSERT_TRUE(box.enrol("p").ok());
  for (const char* name : {"any~a", "any~b", "any~c"}) {
    ASSERT_TRUE(box.submit("q", name, request(name)).ok());
  }
  ASSERT_TRUE(box.take("p", {"q", "any~a"})->write_result(verdict()).ok());
  ASSERT_TRUE(box.take("p", {"q", "any~b"}).has_value());
  box.forget("q");
  EXPECT_FALSE(box.finish("p", {"q", "any~a"}));
  EXPECT_FALSE(box.give_back("p", {"q", "any~b"}, "died"));
  EXPECT_THAT(box.taken("p"), IsEmpty());
  EXPECT_THAT(box.queues(), IsEmpty());
}

TEST_F(Spools, JobsGoToPilotsOfTheirGpuModel) {
  EXPECT_EQ(gpu_key("NVIDIA H200"), "nvidia-h200");
  EXPECT_TRUE(suits("any~x", "simt"));
  EXPECT_TRUE(suits("nvidia-h200~x", "nvidia-h200"));
  EXPECT_FALSE(suits("nvidia-h200~x", "nvidia-h100"));
  EXPECT_FALSE(suits("nvidia-h200~x", "nvidia-h2"));
  EXPECT_EQ(spool_name("../a b/é"), "_..-a-b---");
}

TEST(FleetTexts, AreReadOrRefused) {
  PilotCard card;
  card.name = "p";
  card.gpu = "NVIDIA \"H200\"";
  card.busy_s = 1.5;
  const auto read = card_from_json(card_to_json(card) + "   \n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->gpu, card.gpu);
  for (const char* text : {"", "[]", "{}", R"({"format":2})", R"({"format":1,"name":3})"}) {
    EXPECT_FALSE(card_from_json(text).ok()) << text;
    EXPECT_FALSE(rules_from_json(text).ok()) << text;
  }
  EXPECT_FALSE(rules_from_json(R"({"format":1,"stale_s":-1,"deaths":3})").ok());
  EXPECT_EQ(rules_from_json(rules_to_json({.stale_s = 3, .deaths = 9}))->deaths, 9);
}

TEST(Slurm, OptionsAreNamedWhenTheyAreWrong) {
  const auto options = slurm_options("partition=gpu,gpu=h100,pilots=8,idle=90,cpus=4", {});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->pilots, 8);
  EXPECT_EQ(options->idle_s, 90);
  EXPECT_THAT(slurm_options("pilots=0", {}).error().message, HasSubstr("pilots is '0'"));
  EXPECT_THAT(slurm_options("partitoin=gpu", {}).error().message, HasSubstr("partition"));
  EXPECT_THAT(slurm_options("gpu", {}).error().message, HasSubstr("KEY=VALUE"));
}

TEST_F(Spools, PilotsOfSlurmGetTheirWordsAsArguments) {
  SlurmOptions options;
  options.program = "/opt/my tools/$(warpwright)";
  options.gpu = "h100";
  options.account = "physics";
  options.flags = {"--exclude=n1"};
  const auto words = sbatch_arguments(options, spool(), 3);
  EXPECT_THAT(words, Contains("--gres=gpu:h100:1"));
  EXPECT_THAT(words, Contains("--array=0-2"));
  EXPECT_THAT(words, Contains("--account=physics"));
  EXPECT_THAT(words, Contains("--exclude=n1"));
  EXPECT_THAT(words, Contains("/opt/my tools/$(warpwright)"));
  options.gpu = "none";
  for (const auto& word : sbatch_arguments(options, spool(), 1)) {
    EXPECT_THAT(word, testing::Not(HasSubstr("gres")));
  }
}

TEST(Slurm, LivingJobsAreCounted) {
  EXPECT_EQ(living_jobs("7_0 RUNNING\n7_1 PENDING\n7_2 COMPLETING\n6_1 FAILED\n\nnonsense\n"), 2);
  EXPECT_EQ(living_jobs(""), 0);
}

}  // namespace
}  // namespace warpwright::fleet
