// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/task_json.h"
#include "report/campaign_parts.h"

namespace warpwright::report {

namespace {

using Trials = std::vector<store::TrialRecord>;

constexpr const char* kFree = "free";

bool is_valid(const store::TrialRecord& trial) {
  return trial.evaluation && trial.evaluation->valid();
}

bool is_repair(const store::TrialRecord& trial) { return trial.prompt.repair > 0; }

enum class Fate { left, in_vain, repaired };

// An archive may hold anything: bounds on what is followed and counted.
constexpr int kMostRepairs = 100;
constexpr int kMostRounds = 1000;

/// What repairs made of a trial that failed.
Fate fate_of(const Trials& trials, const std::string& id, int depth = 0) {
  Fate fate = Fate::left;
  if (depth > kMostRepairs) return fate;
  for (const auto& trial : trials) {
    if (!is_repair(trial) || trial.prompt.parent != id || !trial.evaluation) continue;
    if (is_valid(trial)) return Fate::repaired;
    fate = std::max(Fate::in_vain, fate_of(trials, trial.prompt.trial, depth + 1));
    if (fate == Fate::repaired) return fate;
  }
  return fate;
}

void count_failures(CampaignRun& run, const Trials& trials) {
  for (const auto& trial : trials) {
    if (!trial.evaluation || is_valid(trial)) continue;
    FailureCounts& counts = run.failures[std::string(name_of(trial.evaluation->verdict))];
    ++counts.all;
    const Fate fate = fate_of(trials, trial.prompt.trial);
    counts.repaired += fate == Fate::repaired ? 1 : 0;
    counts.in_vain += fate == Fate::in_vain ? 1 : 0;
  }
}

/// The best of the trials up to a round; the earlier one on a tie, as in the search.
const store::TrialRecord* best_until(const Trials& trials, int round) {
  const store::TrialRecord* best = nullptr;
  std::optional<double> least;
  for (const auto& trial : trials) {
    if (trial.prompt.round > round || !is_valid(trial)) continue;
    const auto score = score_us(*trial.evaluation);
    if (!score || (least && *score >= *least)) continue;
    least = score;
    best = &trial;
  }
  return best;
}

void add_rounds(CampaignRun& run, const Trials& trials) {
  int last = 0;
  for (const auto& trial : trials) last = std::max(last, trial.prompt.round);
  last = std::min(last, kMostRounds);
  for (int round = 1; round <= last; ++round) {
    CampaignRound& row = run.rounds.emplace_back();
    for (const auto& trial : trials) {
      if (trial.prompt.round != round || !trial.evaluation) continue;
      ++row.judged;
      row.valid += is_valid(trial) ? 1 : 0;
    }
    if (const auto* best = best_until(trials, round)) row.best_us = score_us(*best->evaluation);
  }
  if (const auto* first = best_until(trials, 1)) {
    run.first_trial = first->prompt.trial;
    run.first = first->evaluation;
  }
  if (const auto* final = best_until(trials, last)) {
    run.final_trial = final->prompt.trial;
    run.final = final->evaluation;
  }
}

Status count_text(CampaignRun& run, store::Archive& archive, const Trials& trials) {
  for (const auto& trial : trials) {
    if (!trial.reply) continue;
    const auto& reply = *trial.reply;
    ++run.questions;
    run.tokens += reply.fresh + reply.cache_read + reply.cache_write + reply.output;
    run.text_bytes += static_cast<std::int64_t>(reply.text.size());
    WW_TRY(const auto messages, archive.messages(run.run, trial.prompt.trial));
    for (const auto& message : messages) {
      run.text_bytes += static_cast<std::int64_t>(message.text.size());
    }
  }
  return {};
}

std::string model_of(const store::RunRecord& run, const Trials& trials) {
  std::set<std::string> names;
  for (const auto& trial : trials) {
    if (trial.reply && !trial.reply->model.empty()) names.insert(trial.reply->model);
  }
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? run.model : text;
}

}  // namespace

Result<CampaignRun> read_campaign_run(store::Archive& archive, const store::RunRecord& record) {
  CampaignRun run;
  run.archive = archive.path().string();
  run.run = record.id;
  run.task = record.task;
  // The archive may be damaged: only known states have a name.
  const int status = static_cast<int>(record.status);
  run.status = status >= 0 && status <= static_cast<int>(store::RunStatus::failed)
                   ? std::string(name_of(record.status))
                   : "in an unknown state";
  WW_TRY(const auto config, archive.config(record.id));
  for (const auto& value : config) {
    if (value.key == "judge.rule_set" || value.key == "judge.lane") run.rule_set = value.value;
  }
  // "strict" where it is the task's own rule set anyway must not look like another one.
  if (const auto task = task_from_json(record.task_json);
      task.ok() && run.rule_set == task->rule_set) {
    run.rule_set.clear();
  }
  WW_TRY(const Trials trials, archive.trials(record.id));
  for (const auto& trial : trials) {
    if (trial.prompt.round == 1 && !is_repair(trial) && trial.evaluation) {
      ++run.first_asked;
      run.first_valid += is_valid(trial) ? 1 : 0;
    }
    if (run.device.empty() && is_valid(trial)) run.device = trial.evaluation->device;
  }
  run.model = model_of(record, trials);
  add_rounds(run, trials);
  count_failures(run, trials);
  WW_CHECK(count_text(run, archive, trials));
  return run;
}

Result<Campaign> read_campaign(const std::vector<std::filesystem::path>& archives,
                               const std::vector<BenchText>& benches, const Clock& clock) {
  Campaign campaign;
  struct Dated {
    std::int64_t created_ms;
    CampaignRun run;
  };
  std::map<std::pair<std::string, std::string>, Dated> newest;  // by task and rule set
  for (const auto& path : archives) {
    WW_TRY(const auto archive, store::Archive::open_read_only(path, clock));
    WW_TRY(const auto records, archive->runs());
    for (const auto& record : records) {
      WW_TRY(auto run, read_campaign_run(*archive, record));
      if (run.rounds.empty() || run.rounds[0].judged == 0) continue;
      const std::pair key(run.task, run.rule_set);
      const auto known = newest.find(key);
      const bool newer = known == newest.end() || record.created_ms > known->second.created_ms;
      if (known != newest.end()) {
        campaign.left_out.push_back(newer ? known->second.run.run : run.run);
      }
      if (newer) newest.insert_or_assign(key, Dated{record.created_ms, std::move(run)});
    }
  }
  for (const auto& bench : benches) WW_CHECK(add_bench(campaign, bench));
  for (auto& [key, dated] : newest) {
    if (campaign.device.empty()) campaign.device = dated.run.device;
    add_run_times(campaign, dated.run);
    campaign.runs.push_back(std::move(dated.run));
  }
  if (campaign.runs.empty() && campaign.cells.empty()) {
    return Error{"nothing to report: no archive holds a run with a judged candidate"};
  }
  return campaign;
}

void add_run_times(Campaign& campaign, const CampaignRun& run) {
  const auto cell_at = [&](const std::string& size) -> CampaignCell& {
    for (auto& cell : campaign.cells) {
      if (cell.task == run.task && cell.size == size) return cell;
    }
    CampaignCell& cell = campaign.cells.emplace_back();
    cell.task = run.task;
    cell.size = size;
    return cell;
  };
  const bool other_rules = run.rule_set == kFree;
  const auto add = [&](const std::optional<Evaluation>& evaluation, const std::string& who,
                       const std::string& trial) {
    if (!evaluation) return;
    for (const auto& m : evaluation->measurements) {
      CampaignCell& cell = cell_at(m.size);
      const bool estimated = m.source == TimeSource::estimated;
      cell.times[who] = {m.median_us, estimated, trial};
      if (cell.floor_us == 0) cell.floor_us = m.floor_us;
      if (m.baseline_us > 0 && cell.of("b1") == nullptr) {
        cell.times["b1"] = {m.baseline_us, estimated, "b1"};
      }
    }
  };
  add(run.first, other_rules ? "first free" : "first", run.first_trial);
  add(run.final, other_rules ? "final free" : "final", run.final_trial);
}

}  // namespace warpwright::report
