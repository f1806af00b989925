// SPDX-License-Identifier: Apache-2.0
#include "cli/judging.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/files.h"
#include "base/swept_folder.h"
#include "cli/session.h"

namespace warpwright::cli {

namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{1} << 20;

}  // namespace

Result<std::string> read_source(const std::string& file) {
  if (file != "-") return read_file(file, kMostSourceBytes);
  std::string text(kMostSourceBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (std::ferror(stdin) != 0) return Error{"cannot read standard input"};
  if (text.size() > kMostSourceBytes) return Error{"standard input holds more than 1 MiB"};
  return text;
}

Result<Evaluation> judge_baseline(evaluate::Evaluator& evaluator, const Task& task,
                                  const std::string& id, const StopSignal& stop) {
  return evaluator.evaluate({id, task.baseline_source, true}, stop);
}

namespace {

/// Why a valid kernel has no speed-up: the task must be mended.
Finding without_baseline(const Evaluation& own) {
  return {"note", 0,
          fmt::format("no speed-up: the task's own baseline got the verdict {}: {}",
                      name_of(own.verdict), own.reason)};
}

}  // namespace

Result<Evaluation> judge_source(evaluate::Evaluator& evaluator, const std::string& id,
                                const std::string& source, const StopSignal& stop,
                                const BaselineJudge& baseline) {
  WW_TRY(Evaluation evaluation, evaluator.evaluate({id, source, false}, stop));
  if (evaluation.valid() && baseline) {
    WW_TRY(const Evaluation own, baseline());
    add_baseline_times(evaluation, own);
    if (!own.valid()) evaluation.findings.push_back(without_baseline(own));
  }
  return evaluation;
}

Result<Evaluation> compare_sources(const Settings& settings, const Task& task,
                                   const std::optional<std::string>& first,
                                   const std::optional<std::string>& second,
                                   const StopSignal& stop) {
  if ((!first || !second) && task.baseline_source.empty())
    return Error{"the task has no baseline; name two kernels"};
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const SweptFolder jobs, SweptFolder::create("warpwright-compare-"));
  WW_TRY(const auto evaluator,
         make_evaluator(settings, {.jobs = jobs.path(), .pattern = pattern, .stay_warm = false}));
  WW_TRY(Evaluation evaluation, evaluator->evaluate({.id = "comparison",
                                                     .source = first.value_or(task.baseline_source),
                                                     .is_baseline = !first,
                                                     .rival = second.value_or(task.baseline_source),
                                                     .rival_is_baseline = !second},
                                                    stop));
  return evaluation;
}

evaluate::JobRequest explain_request(const Task& task, const std::string& source,
                                     const std::string& target, const std::string& size) {
  evaluate::JobRequest request{.id = "explain", .task = task, .source = source};
  request.target = target;
  request.rule_set = "free";  // explaining is not judging: any number of kernels is welcome
  if (!size.empty()) request.sizes = {size};
  return request;
}

Result<evaluate::Explanation> explain_source(const evaluate::JobRequest& request,
                                             const StopSignal& stop) {
  // What a worker would refuse is refused here in the same words.
  WW_CHECK(evaluate::request_from_json(evaluate::request_to_json(request)));
  WW_TRY(const SweptFolder scratch, SweptFolder::create("warpwright-explain-"));
  return evaluate::explain(request, scratch.path(), stop);
}

}  // namespace warpwright::cli
