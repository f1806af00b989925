// SPDX-License-Identifier: Apache-2.0
#include "cli/workshop.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "cli/export_files.h"
#include "cli/judging.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/version.h"
#include "core/task_json.h"
#include "llm/exec.h"
#include "search/prompt_composer.h"
#include "torch/import.h"
#include "tune/tuning.h"

namespace warpwright::cli {

namespace {

constexpr const char* kClient = "client";
constexpr std::size_t kKeptBaselines = 256;
constexpr std::chrono::milliseconds kBaselineGlance{200};
/// Judgements at a time from which on a baseline is begun beside the first candidate. With fewer
/// it would take a core from the candidate, for nothing where that is wrong.
constexpr int kSpareCores = 4;
// Memory of one call: a million of them, which a file may declare, take hundreds of megabytes.
constexpr std::size_t kMostTuningPoints = 20'000;

/// The server's settings with what a client may choose of a judgement.
Result<Settings> settings_for(Settings settings, const std::vector<std::string>& sizes,
                              const std::string& rule_set) {
  std::string labels;
  for (const auto& label : sizes) labels += (labels.empty() ? "" : ",") + label;
  if (!labels.empty()) WW_CHECK(settings.set("judge.sizes", labels, kClient));
  if (!rule_set.empty()) WW_CHECK(settings.set("judge.rule_set", rule_set, kClient));
  return settings;
}

}  // namespace

ServerWorkshop::ServerWorkshop(Settings settings, std::filesystem::path archive,
                               TemporaryDirectory jobs)
    : settings_(std::move(settings)),
      archive_(std::move(archive)),
      jobs_(std::move(jobs)),
      worker_(warm_worker()),
      searches_(settings_, archive_) {}

Result<std::unique_ptr<ServerWorkshop>> ServerWorkshop::open(Settings settings,
                                                             std::filesystem::path archive) {
  WW_TRY(auto jobs, TemporaryDirectory::create("warpwright-server-"));
  return std::unique_ptr<ServerWorkshop>(
      new ServerWorkshop(std::move(settings), absolute_path(archive), std::move(jobs)));
}

std::string ServerWorkshop::manner() const {
  std::string text = fmt::format("{} {}", program_version(), program_commit());
  for (const auto& value : settings_.all()) {
    const bool counts = value.key.starts_with("judge.") && value.key != "judge.jobs";
    if (counts) text += fmt::format(" {}={}", value.key, value.value);
  }
  return text;
}

std::string ServerWorkshop::next_id(const char* what) {
  return what + std::string("-") + std::to_string(++jobs_made_);
}

ServerWorkshop::~ServerWorkshop() { ending_.request(StopReason::finished); }

/// Judged once per task and manner: it is the same kernel on the same machine. Who needs it
/// meanwhile waits; where the first one fails, the next one tries.
Result<Evaluation> ServerWorkshop::baseline_of(evaluate::Evaluator& evaluator, const Task& task,
                                               const std::string& key, const StopSignal& stop) {
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (const auto found = baselines_.find(key); found != baselines_.end()) return found->second;
      if (judging_baselines_.insert(key).second) break;
      baseline_judged_.wait_for(lock, kBaselineGlance);
      if (stop.requested()) return Error{"stopped while waiting for the baseline's times"};
    }
  }
  return time_baseline(evaluator, task, key, stop);
}

/// The caller has put the key among those that are being judged.
Result<Evaluation> ServerWorkshop::time_baseline(evaluate::Evaluator& evaluator, const Task& task,
                                                 const std::string& key, const StopSignal& stop) {
  auto evaluation = judge_baseline(evaluator, task, next_id("baseline"), stop);
  const std::lock_guard lock(mutex_);
  judging_baselines_.erase(key);
  if (evaluation.ok() && evaluation->valid()) {
    if (baselines_.size() >= kKeptBaselines) baselines_.clear();
    baselines_[key] = *evaluation;
  }
  baseline_judged_.notify_all();
  return evaluation;
}

/// So that nobody's place in the queue is held by a compilation that could have begun earlier.
void ServerWorkshop::begin_baseline(const std::shared_ptr<evaluate::Evaluator>& evaluator,
                                    const Task& task, const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (begun_ahead_.size() >= kKeptBaselines) begun_ahead_.clear();
  if (baselines_.contains(key) || !begun_ahead_.insert(key).second) return;
  if (!judging_baselines_.insert(key).second) return;
  std::erase_if(ahead_, [](const std::future<void>& begun) {
    return begun.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  ahead_.push_back(std::async(std::launch::async, [this, evaluator, task, key] {
    static_cast<void>(time_baseline(*evaluator, task, key, ending_));
  }));
}

Result<Evaluation> ServerWorkshop::judge(const mcp::JudgeWish& wish, const StopSignal& stop) {
  WW_TRY(const Settings settings, settings_for(settings_, wish.sizes, wish.rule_set));
  WW_TRY(const Task task, with_counted_costs(wish.task));
  WW_TRY(auto pattern, job_pattern(settings, task));
  pattern.cache = jobs_.path() / "cache";
  WW_TRY(auto made,
         make_evaluator(settings,
                        {.jobs = jobs_.path() / "jobs", .pattern = pattern, .shared = worker_}));
  const std::shared_ptr<evaluate::Evaluator> evaluator = std::move(made);
  const std::string key = sha256_hex(task_to_json(task)) + settings.text("judge.sizes") + "/" +
                          settings.text("judge.rule_set");
  const bool alone = !wish.with_baseline || task.baseline_source.empty();
  if (!alone && parallelism() >= kSpareCores) begin_baseline(evaluator, task, key);
  if (!alone) evaluator->expect({"baseline", task.baseline_source, true});
  const auto baseline = [&] { return baseline_of(*evaluator, task, key, stop); };
  return judge_source(*evaluator, next_id("candidate"), wish.source, stop,
                      alone ? BaselineJudge() : BaselineJudge(baseline));
}

Result<Evaluation> ServerWorkshop::compare(const mcp::CompareWish& wish, const StopSignal& stop) {
  WW_TRY(const Settings settings, settings_for(settings_, wish.sizes, ""));
  WW_TRY(const Task task, with_counted_costs(wish.task));
  return compare_sources(settings, task, wish.first, wish.second, stop);
}

Result<mcp::Tuned> ServerWorkshop::tune(const mcp::TuneWish& wish, const StopSignal& stop) {
  WW_TRY(const auto space, tune::Space::parse(wish.source));
  if (space.parameters().empty()) {
    return Error{
        "the source declares nothing to tune; write, for example, '// tune: TILE = 16, 32, 64' "
        "beside the definition of TILE"};
  }
  std::size_t points = 1;
  for (const auto& parameter : space.parameters()) points *= parameter.values.size();
  if (points > kMostTuningPoints) {
    return Error{
        fmt::format("{} configurations are more than the {} that this server tunes; "
                    "declare fewer values",
                    points, kMostTuningPoints)};
  }
  WW_TRY(const Settings settings, settings_for(settings_, wish.sizes, ""));
  WW_TRY(auto pattern, job_pattern(settings, wish.task));
  pattern.cache = jobs_.path() / "cache";
  // A folder of its own: the judgements of two tunings have the same names.
  WW_TRY(const auto evaluator, make_evaluator(settings, {.jobs = jobs_.path() / next_id("tune"),
                                                         .pattern = pattern,
                                                         .shared = worker_}));
  WW_CHECK(searches_.promise(wish.evaluations));
  std::atomic<std::int64_t> judged{0};
  const auto tuning = tune::tune(space, *evaluator,
                                 {.budget = static_cast<std::size_t>(wish.evaluations),
                                  .on_tried = [&](const tune::Tried&) { ++judged; }},
                                 stop);
  if (tuning.ok()) judged = static_cast<std::int64_t>(tuning->evaluations);
  searches_.settle(wish.evaluations, judged);
  WW_CHECK(tuning);
  return mcp::Tuned{.source = space.filled(tuning->best.point),
                    .given_values = space.text_of(tuning->given().point),
                    .best_values = space.text_of(tuning->best.point),
                    .given = tuning->given().evaluation,
                    .best = tuning->best.evaluation,
                    .configurations = space.points().size(),
                    .tried = tuning->tried.size(),
                    .evaluations = judged,
                    .changed = tuning->changed,
                    .gain = tune::gain_of(*tuning)};
}

Result<evaluate::Explanation> ServerWorkshop::explain(const mcp::ExplainWish& wish,
                                                      const StopSignal& stop) {
  WW_TRY(const Task task, with_counted_costs(wish.task));
  WW_TRY(const auto pattern, job_pattern(settings_, task));
  auto request = explain_request(task, wish.source,
                                 wish.target.empty() ? pattern.target : wish.target, wish.size);
  request.front_end = pattern.front_end;
  request.unsafe = pattern.unsafe;
  return explain_source(request, stop);
}

Result<std::string> ServerWorkshop::describe_module(const mcp::ModuleWish& wish,
                                                    const StopSignal& stop) {
  torch::ModuleFile file;
  file.path = wish.name + ".py";
  file.text = wish.text;
  file.backward = wish.backward;
  file.shapes = wish.fixed ? "fixed" : "general";
  file.python = settings_.text("torch.python");
  WW_TRY(const auto sandbox,
         sandbox::Sandbox::open({.allow_none = settings_.flag("judge.unsafe")}));
  return torch::describe_module(file, sandbox, &stop);
}

Result<DeviceFacts> ServerWorkshop::target() { return target_facts(settings_); }

Result<std::string> ServerWorkshop::first_question(const Task& task) {
  WW_TRY(auto templates, prompt_templates(settings_));
  WW_TRY(const auto facts, target_facts(settings_));
  WW_TRY(const auto level, feedback_level(settings_));
  search::PromptComposer composer(std::move(templates), task, facts,
                                  settings_.text("judge.rule_set"), level);
  WW_TRY(const auto messages, composer.initial());
  return llm::prompt_text(messages);
}

Result<std::string> ServerWorkshop::start_search(const mcp::SearchWish& wish) {
  mcp::SearchWish counted = wish;
  WW_TRY(counted.task, with_counted_costs(wish.task));
  return searches_.start(counted);
}

std::optional<mcp::SearchStand> ServerWorkshop::search_stand(const std::string& run) {
  return searches_.stand(run);
}

Status ServerWorkshop::stop_search(const std::string& run) { return searches_.stop(run); }

Status ServerWorkshop::tell(const std::string& run, const std::string& trial,
                            const std::string& answer, const std::string& by) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open(archive_, clock));
  return tell_answer(*archive, run, trial, answer, by.empty() ? kClient : by);
}

Result<std::map<std::string, std::string>> ServerWorkshop::exported(const std::string& run_name,
                                                                    const std::string& name) {
  const SystemClock clock;
  WW_TRY(const bool there, path_exists(archive_));
  if (!there) return Error{"there are no runs yet"};
  WW_TRY(const auto archive, store::Archive::open_read_only(archive_, clock));
  WW_TRY(const auto run, archive->find_run(run_name));
  WW_TRY(const auto trials, archive->trials(run.id));
  WW_TRY(const auto* trial, valid_trial(run, trials, name));
  WW_TRY(const Task task, task_from_json(run.task_json));
  WW_TRY(const auto config, archive->config(run.id));
  return export_files(task, run, *trial, config);
}

}  // namespace warpwright::cli
