// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child.h"
#include "base/text.h"
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

  std::vector<std::string> arguments(const std::string& suite, std::vector<std::string> more) {
    std::vector<std::string> words = {"campaign",
                                      "run",
                                      suite,
                                      "--json",
                                      "--model=exec:" + (program_.folder() / "answer.sh").string(),
                                      "--worker=" + fake_worker_path(),
                                      "-n2",
                                      "-d2",
                                      "--repairs=0",
                                      "--stop-at-roofline=0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProcessExit campaign(const std::string& suite, std::vector<std::string> more) {
    return program_.run(arguments(suite, std::move(more)));
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

/// What a campaign came to, without times.
json essence(const json& end) {
  json rows = json::array();
  for (const auto& run : end["runs"]) {
    rows.push_back({run["task"], run["run"], run["status"], run["trials"], run["valid"],
                    run["best"], run["best_us"], run["spent"]["evaluations"]});
  }
  return rows;
}

std::size_t lines_in(const std::filesystem::path& file, std::string_view head) {
  const auto text = read_file(file);
  std::size_t count = 0;
  if (!text.ok()) return 0;
  for (const auto line : lines_of(*text)) count += line.starts_with(head) ? 1 : 0;
  return count;
}

TEST_F(CampaignRun, AKillAtAnyMomentLosesNothingAndPaysNothingTwice) {
  const auto asked = program_.folder() / "asked.txt", judged = program_.folder() / "judged.txt";
  program_.write("answer.sh", "#!/bin/sh\nsalt=$(cksum)\necho \"$salt\" >> '" + asked.string() +
                                  "'\nprintf '```cuda\\n// %s\\n%s\\n```\\n' \"$salt\" "
                                  "'extern \"C\" void solve() {}'\n");
  ::chmod((program_.folder() / "answer.sh").c_str(), 0755);
  auto command =
      program_.command({"pilot", "spool", "--idle=300", "--at-once=2",
                        "--server=" + fake_worker_path() + " --serve " + judged.string() + " 30"});
  auto pilot = ChildProcess::start(command);
  ASSERT_TRUE(pilot.ok());
  const std::vector<std::string> flags = {"--budget=evaluations=12", "--strategies=fsr,serial",
                                          "--worker=spool:spool"};
  const auto into = [&](const char* folder) {
    auto words = flags;
    words.push_back(std::string("-o") + folder);
    return arguments("copy,transpose", words);
  };
  const auto undisturbed = program_.run(into("whole"));
  const json whole = outcome(undisturbed);
  ASSERT_TRUE(whole.is_object()) << undisturbed.out << undisturbed.err;
  const std::size_t all_asked = lines_in(asked, ""), all_judged = lines_in(judged, "end ");
  ASSERT_GT(all_judged, 8U);
  for (const std::size_t moment : {all_judged / 4, all_judged / 2}) {
    auto process = ChildProcess::start(program_.command(into("killed")));
    ASSERT_TRUE(process.ok());
    for (int i = 0; i < 6000 && lines_in(judged, "end ") < all_judged + moment; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_GE(lines_in(judged, "end "), all_judged + moment);
    process->kill();
  }
  const auto last = program_.run(into("killed"));
  EXPECT_EQ(essence(outcome(last)), essence(whole)) << last.err;
  EXPECT_EQ(lines_in(asked, ""), 2 * all_asked);
  EXPECT_EQ(lines_in(judged, "end "), 2 * all_judged);
  EXPECT_EQ(lines_in(judged, "begin "), 2 * all_judged);
}

}  // namespace
}  // namespace warpwright::cli
