// SPDX-License-Identifier: Apache-2.0
// Many runs, one per task, beside a benchmark: what a search was worth over a whole suite.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/evaluation.h"

namespace warpwright::report {

/// Trials with one bad verdict, by what became of them.
struct FailureCounts {
  int all = 0;
  int repaired = 0;  ///< a repair of it, or a repair of that, is valid
  int in_vain = 0;   ///< repairs were asked for, none is valid
  [[nodiscard]] int left() const { return all - repaired - in_vain; }  ///< no repair was asked for
};

/// One round of a search.
struct CampaignRound {
  int judged = 0, valid = 0;
  std::optional<double> best_us;  ///< geometric mean over the sizes, of all rounds up to this one
};

/// One run of one task under one rule set.
struct CampaignRun {
  std::string archive, run, task, rule_set, model, device, status;
  int first_asked = 0, first_valid = 0;  ///< the first round without its repairs
  std::vector<CampaignRound> rounds;
  std::string first_trial, final_trial;
  std::optional<Evaluation> first, final;  ///< the best kernel of the first round, and of all
  std::map<std::string, FailureCounts> failures;  ///< by the verdict's name
  int questions = 0;
  std::int64_t tokens = 0;      ///< 0 = nobody reported any
  std::int64_t text_bytes = 0;  ///< of prompts and answers
};

/// Who was timed at one size; the rows of a benchmark's JSON, where there is one.
struct CampaignTime {
  double us = 0;
  bool estimated = false;
  std::string name;
};

struct CampaignCell {
  std::string task, size;
  double floor_us = 0;
  std::map<std::string, CampaignTime> times;  ///< by "b0", "b1", "kernel", "free", "library", ...

  /// The kernel that comparisons are about: the benchmark's, else the run's final one.
  [[nodiscard]] const CampaignTime* kernel() const;
  [[nodiscard]] const CampaignTime* of(const std::string& who) const;
};

struct Campaign {
  std::vector<CampaignRun> runs;  ///< by task; the newest of each task and rule set
  std::vector<CampaignCell> cells;
  std::string device;
  std::vector<std::string> troubles;  ///< "JOB: verdict", of the benchmark
  std::vector<std::string> left_out;  ///< older runs of the same tasks
};

struct BenchText {
  std::string file, text;
};

/// Reads everything; archives are opened for reading only.
Result<Campaign> read_campaign(const std::vector<std::filesystem::path>& archives,
                               const std::vector<BenchText>& benches, const Clock& clock);

/// Tables in Markdown: times per task and size, gain per round, first answers, failures, tokens,
/// and what the kernels gain over PyTorch, libraries and both baselines.
std::string campaign_markdown(const Campaign& campaign);

}  // namespace warpwright::report
