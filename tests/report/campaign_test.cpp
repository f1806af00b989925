// SPDX-License-Identifier: Apache-2.0
#include "report/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "support/sample_runs.h"

namespace warpwright::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CampaignTest : public testing::Test {
 protected:
  std::filesystem::path archive(const std::string& kind) {
    const auto file = folder_.path() / (kind + ".db");
    EXPECT_TRUE(samples::write(kind, file).ok());
    return file;
  }

  Campaign read(const std::vector<std::filesystem::path>& archives,
                const std::vector<BenchText>& benches = {}) {
    auto campaign = read_campaign(archives, benches, SystemClock());
    EXPECT_TRUE(campaign.ok()) << campaign.error().message;
    return campaign.ok() ? std::move(*campaign) : Campaign{};
  }

  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-campaign-")).value();
};

// As `warpwright bench --json` writes it, with what a campaign reads.
BenchText bench() {
  return {"bench.json", R"({"format": 1, "device": "NVIDIA H200",
    "rows": [
      {"task": "vector_add", "size": "2^20", "floor_us": 2.5, "best_kernel": "k.vector_add", "times": [
        {"runner": "b0", "name": "b0", "source": "measured", "median_us": 400},
        {"runner": "b1", "name": "b1", "source": "measured", "median_us": 8},
        {"runner": "kernel", "name": "k.vector_add", "source": "measured", "median_us": 4},
        {"runner": "kernel", "name": "k.slower", "source": "measured", "median_us": 3},
        {"runner": "kernel", "name": "k.free", "apart": "free", "source": "measured", "median_us": 2},
        {"runner": "library", "name": "cub.tf32", "lane": "tf32", "source": "measured", "median_us": 1},
        {"runner": "library", "name": "cub.slow", "source": "measured", "median_us": 16},
        {"runner": "library", "name": "cub.add", "source": "measured", "median_us": 8},
        {"runner": "eager", "name": "torch.eager", "source": "measured", "median_us": 36}]},
      {"task": "copy", "size": "a", "floor_us": 1, "best_kernel": "k.copy", "times": [
        {"runner": "b0", "name": "b0", "source": "measured", "median_us": 100},
        {"runner": "eager", "name": "torch.eager", "source": "measured", "median_us": 2},
        {"runner": "kernel", "name": "k.copy", "source": "measured", "median_us": 8}]},
      {"task": "copy", "size": "b", "floor_us": 1, "best_kernel": "k.copy", "times": [
        {"runner": "b0", "name": "b0", "source": "measured", "median_us": 300},
        {"runner": "eager", "name": "torch.eager", "source": "estimated", "median_us": 2},
        {"runner": "kernel", "name": "k.copy", "source": "measured", "median_us": 2}]},
      {"task": "sort", "size": "s", "floor_us": 1, "best_kernel": "k.sort", "times": [
        {"runner": "eager", "name": "torch.eager", "source": "measured", "median_us": 1},
        {"runner": "kernel", "name": "k.sort", "source": "measured", "median_us": 100}]}],
    "troubles": [{"job": "relu.k.relu", "verdict": "mismatch", "reason": "x"}]})"};
}

TEST_F(CampaignTest, ARunIsReadRoundByRound) {
  const Campaign campaign = read({archive("small")});
  ASSERT_EQ(campaign.runs.size(), 1u);
  const CampaignRun& run = campaign.runs[0];
  EXPECT_EQ(run.first_asked, 3);
  EXPECT_EQ(run.first_valid, 1);
  EXPECT_EQ(run.first_trial, "r1.c2");
  EXPECT_EQ(run.final_trial, "r2.c1");
  ASSERT_EQ(run.rounds.size(), 2u);
  EXPECT_EQ(run.rounds[1].judged, 3);
  EXPECT_EQ(run.rounds[1].valid, 2);
  EXPECT_GT(*run.rounds[0].best_us / *run.rounds[1].best_us, 1.3);
  EXPECT_EQ(run.failures.at("mismatch").repaired, 1);
  EXPECT_EQ(run.failures.at("compile_error").left(), 1);
  EXPECT_EQ(run.failures.at("no_code").all, 1);
  // Five replies of 1800 + 900 + 640, and one that reported nothing.
  EXPECT_EQ(run.tokens, 5 * 3340);
  ASSERT_EQ(campaign.cells.size(), 3u);
  EXPECT_EQ(campaign.cells[0].size, "2^20");
  EXPECT_NEAR(campaign.cells[0].of("final")->us, 2.62 * 1.12 + 1.7, 1e-9);
  EXPECT_NEAR(campaign.cells[0].of("first")->us, 2.62 * 1.9 + 1.7, 1e-9);
  EXPECT_NEAR(campaign.cells[0].of("b1")->us, 2.62 * 2.4 + 1.7, 1e-9);
}

TEST_F(CampaignTest, TheBenchmarksTimesStandBesideTheRuns) {
  const Campaign campaign = read({archive("small")}, {bench()});
  ASSERT_EQ(campaign.cells.size(), 6u);
  const CampaignCell& cell = campaign.cells[0];
  EXPECT_EQ(cell.kernel()->us, 4) << "the benchmark's own choice, not the fastest at one size";
  EXPECT_EQ(cell.of("b1")->us, 8);
  EXPECT_EQ(cell.of("free")->us, 2);
  EXPECT_EQ(cell.of("library")->name, "cub.add") << "the fastest of those that compete";
  EXPECT_EQ(campaign.cells[4].kernel(), campaign.cells[4].of("final"))
      << "where the benchmark has none";
}

TEST_F(CampaignTest, TheDocumentSaysWhatWasGained) {
  const std::string text = campaign_markdown(read({archive("small")}, {bench()}));
  // 36/4 and 2/8: a mean of 1.5; the estimate does not count, sort stands apart.
  EXPECT_THAT(text, HasSubstr("| eager | 2 | 1.500 | 1 | 0.010 |"));
  EXPECT_THAT(text, HasSubstr("Cells slower than PyTorch eager: copy a (0.25)."));
  // 100/8 and 300/2.
  EXPECT_THAT(text, HasSubstr("| copy | 2 | 81.25 | 12.50 | 150.0 | 89.5 |"));
  EXPECT_THAT(text, HasSubstr("| dot | 0 | - | - | - | 102 |"));
  EXPECT_THAT(text, HasSubstr("| vector_add | 2^20 | 2.50 | 400.0 | 8.00 | 6.68 | 4.63 | 4.00 | "
                              "2.00 | 8.00 cub.add | 36.00 | - | 2.00 | 9.00 |"));
  EXPECT_THAT(text, HasSubstr("| vector_add | 1/3 | yes | 6 | 16700 | m |"));
  EXPECT_THAT(text, HasSubstr("pass@N: 1 of 1 runs; 1 of 3 first answers were valid (33 %)."));
  EXPECT_THAT(text, HasSubstr("| mismatch | 1 | 1 | 0 | 0 | vector_add 1 |"));
  EXPECT_THAT(text, HasSubstr("Bad verdicts in the benchmark: relu.k.relu: mismatch."));
  EXPECT_THAT(text, HasSubstr("Run vector_add-1 is stopped."));
}

TEST_F(CampaignTest, TheNewestRunOfEachTaskCounts) {
  const Campaign campaign = read({archive("several")});
  std::vector<std::string> runs;
  for (const auto& run : campaign.runs) runs.push_back(run.run);
  EXPECT_THAT(runs, ElementsAre("dot-4", "transpose-4", "vector_add-4"));
  EXPECT_EQ(campaign.left_out.size(), 9u);
}

TEST_F(CampaignTest, TokensThatNobodyReportedAreSaidToBe) {
  Campaign campaign;
  CampaignRun& run = campaign.runs.emplace_back();
  run.task = "copy";
  run.model = "a|b";
  run.text_bytes = 4000;
  EXPECT_THAT(campaign_markdown(campaign),
              HasSubstr("| copy | 0/0 | no | 0 | not reported (1000 by bytes/4) | a b |"));
}

TEST_F(CampaignTest, DamagedAndHostileArchivesAreReadOrRefused) {
  for (const char* kind : {"odd", "hostile"}) {
    const auto campaign = read_campaign({archive(kind)}, {}, SystemClock());
    EXPECT_THAT(campaign.ok() ? campaign_markdown(*campaign) : "", Not(HasSubstr("nan")));
  }
  EXPECT_FALSE(read_campaign({folder_.path() / "none.db"}, {}, SystemClock()).ok());
  EXPECT_THAT(read_campaign({}, {{"b.json", "{\"rows\": 3}"}}, SystemClock()).error().message,
              HasSubstr("b.json"));
}

}  // namespace
}  // namespace warpwright::report
