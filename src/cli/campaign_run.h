// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "cli/settings.h"
#include "core/budget.h"
#include "core/task.h"
#include "store/records.h"

namespace warpwright::cli {

/// "usd=20,tokens=2M,evaluations=500,wall=2h,device=30m" as the settings limits.*; a number alone
/// is US dollars.
Status set_budget(Settings& settings, std::string_view text);

/// Built-in names and task folders with commas between them, a folder of task folders, or "paper"
/// and "all" for the built-in ones.
Result<std::vector<Task>> tasks_of_suite(const std::string& suite);

/// What the i-th of n gets of something that cannot be divided without a rest.
std::int64_t share_of(std::int64_t all, std::int64_t n, std::int64_t i);

struct CampaignPlan {
  std::vector<Task> tasks;
  std::vector<std::string> strategies;
  Settings settings;             ///< its limits are those of all searches together
  std::filesystem::path folder;  ///< of the archive; the same plan goes on with it
  bool by_headroom = false;      ///< more for searches with more to gain, see core/headroom.h
  int at_once = 0;               ///< searches at a time; 0: as many as a fleet takes, else two
  std::function<void(const std::string& line)> say;
};

/// One search of a campaign: a task with a strategy.
struct CampaignMember {
  std::string task, strategy, run;
  store::RunStatus status = store::RunStatus::running;
  std::string why;
  Cost spent;
  int finished = 0, valid = 0;
  std::string best_trial;
  std::optional<double> best_us, best_speedup, best_roofline;
};

struct CampaignEnd {
  std::vector<CampaignMember> members;
  Cost spent;
  Limits budget;
  int rounds = 0;
  bool stopped = false;  ///< before it was over
};

/// Searches all tasks with all strategies within one budget. In each round every open search gets
/// the same part of what is left; what a search did not need is for the next round. By headroom, a
/// quarter is given out at a time, in the proportion of what each is expected to gain; one that is
/// expected to gain little gets nothing. Killed at any
/// moment, it goes on where it was. The error is for a campaign that cannot start.
Result<CampaignEnd> run_campaign(const CampaignPlan& plan, StopSignal& stop);

}  // namespace warpwright::cli
