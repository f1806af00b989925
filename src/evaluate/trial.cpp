// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "device/kernel_name.h"
#include "evaluate/compare.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

namespace {

struct StageRow {
  Stage stage;
  Result<Next> (*run)(TrialState&);
};

constexpr std::array<StageRow, 6> kStages = {{
    {Stage::lint, lint_stage},
    {Stage::build, build_stage},
    {Stage::record, record_stage},
    {Stage::validate, validate_stage},
    {Stage::sanitize, sanitize_stage},
    {Stage::measure, measure_stage},
}};
constexpr std::array<Stage, 6> kAllStages = {Stage::lint,     Stage::build,    Stage::record,
                                             Stage::validate, Stage::sanitize, Stage::measure};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void harness_error(Evaluation& evaluation, const Error& error) {
  evaluation.verdict = Verdict::harness_error;
  evaluation.reason = error.message;
  evaluation.feedback.clear();
}

}  // namespace

Next end_with(TrialState& state, Verdict verdict, std::string reason, std::string feedback) {
  state.evaluation.verdict = verdict;
  state.evaluation.reason = std::move(reason);
  state.evaluation.feedback = std::move(feedback);
  return Next::ended;
}

std::optional<Next> out_of_time(TrialState& state) {
  if (!state.deadline.passed()) return std::nullopt;
  const std::string reason =
      fmt::format("the trial did not end within {:.0f} s; it was in the stage {}",
                  state.request.limit_s, name_of(state.evaluation.stage));
  return end_with(state, Verdict::timeout, reason, reason);
}

PartTimer::~PartTimer() {
  state_.evaluation.stage_s[std::string(name_of(state_.evaluation.stage)) + "." + part_] +=
      seconds_since(start_);
}

void note(TrialState& state, std::string text) {
  const Finding finding{"note", 0, std::move(text)};
  auto& all = state.evaluation.findings;
  if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(finding);
}

bool run_stages(TrialState& state, std::span<const Stage> stages) {
  Evaluation& evaluation = state.evaluation;
  for (const Stage stage : stages) {
    const auto* row = std::find_if(kStages.begin(), kStages.end(),
                                   [&](const StageRow& r) { return r.stage == stage; });
    ASSERT(row != kStages.end(), "a stage without a function");
    evaluation.stage = stage;
    const auto start = std::chrono::steady_clock::now();
    const auto next = row->run(state);
    evaluation.stage_s[std::string(name_of(stage))] += seconds_since(start);
    if (!next.ok()) {
      harness_error(evaluation, next.error());
      return false;
    }
    if (*next == Next::ended) return false;
    if (state.stop.requested()) {
      harness_error(evaluation, Error{"stopped"});
      return false;
    }
    if (stage != Stage::measure && out_of_time(state)) return false;
  }
  return true;
}

TrialState begin_trial(const JobRequest& request, const std::filesystem::path& scratch,
                       Station& station, const StopSignal& stop) {
  return {.request = request,
          .scratch = scratch,
          .station = station,
          .stop = stop,
          .deadline = Deadline(request.limit_s)};
}

void leave_device(TrialState& state) {
  if (state.device_since) state.evaluation.device_s = seconds_since(*state.device_since);
  state.device_since.reset();
  state.device = nullptr;
  state.lease = {};
}

Evaluation finish_trial(TrialState& state) {
  for (KernelResources& resources : state.evaluation.resources) {
    resources.kernel = device::kernel_name(resources.kernel);
  }
  if (state.device_since) state.evaluation.device_s = seconds_since(*state.device_since);
  return std::move(state.evaluation);
}

Evaluation run_trial(const JobRequest& request, const std::filesystem::path& scratch,
                     Station& station, const StopSignal& stop) {
  if (request.rival) return run_comparison(request, scratch, station, stop);
  TrialState state = begin_trial(request, scratch, station, stop);
  state.settles_late = true;
  if (run_stages(state, kAllStages)) state.evaluation.verdict = Verdict::ok;
  return finish_trial(state);
}

Evaluation run_trial(const JobRequest& request, const std::filesystem::path& scratch,
                     const StopSignal& stop) {
  Station station;
  return run_trial(request, scratch, station, stop);
}

std::optional<Evaluation> prepare_trial(const JobRequest& request,
                                        const std::filesystem::path& scratch, Station& station,
                                        const StopSignal& stop) {
  if (request.rival) return prepare_comparison(request, scratch, station, stop);
  TrialState state = begin_trial(request, scratch, station, stop);
  if (run_stages(state, kStagesWithoutDevice)) return std::nullopt;
  return finish_trial(state);
}

}  // namespace warpwright::evaluate
