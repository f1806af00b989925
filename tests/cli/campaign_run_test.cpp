// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child.h"
#include "cli/program.h"

namespace warpwright::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CampaignRun : public testing::Test {
 protected:
  void SetUp() override {
    // Another answer for each question, always the same for one.
    program_.write("answer.sh",
                   "#!/bin/sh\nsalt=$(cksum)\nprintf '```cuda\\n// %s\\n%s\\n```\\n' \"$salt\" "
                   "'extern \"C\" void solve() {}'\n");
    ::chmod((program_.folder() / "answer.sh").c_str(), 0755);
  }

  ProcessExit campaign(const std::string& suite, std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "campaign",
        "run",
        suite,
        "--json",
        "--model=exec:" + (program_.folder() / "answer.sh").string(),
        "--worker=" + fake_worker_path(),
        "-n2",
        "-d2",
        "--repairs=0",
        "--stop-at-roofline=0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program_.run(arguments);
  }

  static json outcome(const ProcessExit& exit) { return json::parse(exit.out, nullptr, false); }

  Program program_;
};

TEST_F(CampaignRun, SharesOneBudgetAndGoesOn) {
  const auto first = campaign("copy,transpose", {"--budget=evaluations=4", "--strategies=fsr"});
  const json early = outcome(first);
  ASSERT_TRUE(early.is_object()) << first.out << first.err;
  EXPECT_LE(early["spent"]["evaluations"], 4);
  std::map<std::string, int> each;
  for (const auto& run : early["runs"]) {
    each[run["task"]] = run["spent"]["evaluations"].get<int>();
  }
  EXPECT_EQ(each.size(), 2U);
  EXPECT_LE(std::abs(each["copy"] - each["transpose"]), 1) << early;
  // The same command with more of everything: the same runs go on, to their ends.
  const json late = outcome(
      campaign("copy,transpose", {"--budget=evaluations=100,tokens=100M", "--strategies=fsr"}));
  ASSERT_EQ(late["runs"].size(), 2U) << late;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(late["runs"][i]["run"], early["runs"][i]["run"]);
    EXPECT_EQ(late["runs"][i]["status"], "finished") << late;
  }
  EXPECT_LE(late["spent"]["evaluations"], 8);  // two rounds of two, twice
  const auto folder = program_.folder() / "warpwright-campaign";
  EXPECT_THAT(*read_file(folder / "campaign.md"), HasSubstr("transpose"));
  // The tables of before read it.
  EXPECT_EQ(program_.run({"campaign", folder.string()}).exit_code, 0);
}

TEST_F(CampaignRun, SaysWhatItNeeds) {
  EXPECT_THAT(campaign("copy", {}).err, HasSubstr("needs a budget"));
  EXPECT_THAT(campaign("copy", {"--budget=minutes=3"}).err, HasSubstr("no 'minutes'"));
  EXPECT_THAT(campaign("nothing", {"--budget=evaluations=3"}).err, HasSubstr("nothing"));
  EXPECT_THAT(campaign("copy", {"--budget=evaluations=3", "--strategies=fsr,none"}).err,
              HasSubstr("none"));
}

TEST_F(CampaignRun, GoesThroughASpool) {
  auto command = program_.command({"pilot", "spool", "--idle=120", "--at-once=2",
                                   "--server=" + fake_worker_path() + " --serve notes.txt 1"});
  auto pilot = ChildProcess::start(command);
  ASSERT_TRUE(pilot.ok());
  const auto exit = campaign("copy", {"--budget=evaluations=4", "--worker=spool:spool"});
  const json end = outcome(exit);
  ASSERT_TRUE(end.is_object()) << exit.out << exit.err;
  EXPECT_GE(end["spent"]["evaluations"], 1) << exit.err;
  json fleet = json::object();
  for (int i = 0; i < 100 && fleet.value("judged", 0) < end["spent"]["evaluations"]; ++i) {
    fleet = json::parse(program_.run({"fleet", "spool", "--json"}).out, nullptr, false);
    ASSERT_TRUE(fleet.is_object());
  }
  ASSERT_EQ(fleet["pilots"].size(), 1U) << fleet;
  EXPECT_GE(fleet["judged"], end["spent"]["evaluations"]);
  EXPECT_THAT(program_.run({"fleet", "spool"}).out, HasSubstr("1 pilots"));
}

}  // namespace
}  // namespace warpwright::cli
