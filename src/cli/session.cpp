// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/cores.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/asked_models.h"
#include "cli/examples.h"
#include "cli/exit_codes.h"
#include "cli/fleet_judge.h"
#include "cli/merging.h"
#include "cli/schedule_step.h"
#include "cli/summary.h"
#include "cli/tuning.h"
#include "cli/verbs.h"
#include "core/described_device.h"
#include "device/device.h"
#include "evaluate/local_evaluator.h"
#include "evaluate/mailbox.h"
#include "evaluate/stages.h"
#include "prompt/extract.h"
#include "search/prompt_composer.h"
#include "verifiers/gate.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

// --target: the GPU that is there, else the described one that most figures are about.
constexpr const char* kLiveTarget = "auto";
constexpr const char* kUsualTarget = "h200";
constexpr std::string_view kMailbox = "mailbox:";
constexpr std::chrono::milliseconds kAnswerGlance{300};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find(separator, from), text.size());
    if (end > from) items.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return items;
}

/// Labels with commas between them; a label may have commas of its own, so the longest one counts.
Result<std::vector<std::string>> chosen_sizes(std::string_view text, const Task& task) {
  std::vector<std::string> labels;
  while (!text.empty()) {
    std::string found;
    std::string known;
    for (const auto& size : task.sizes) {
      known += (known.empty() ? "" : "  ") + size.label;
      const bool fits = text == size.label || text.starts_with(size.label + ",");
      if (fits && size.label.size() > found.size()) found = size.label;
    }
    if (found.empty()) {
      return Error{"--sizes: task '" + task.name + "' has no size '" +
                   std::string(text.substr(0, text.find(','))) + "'; there are: " + known};
    }
    labels.push_back(found);
    text.remove_prefix(std::min(text.size(), found.size() + 1));
  }
  return labels;
}

std::chrono::milliseconds milliseconds_of(const Settings& settings, std::string_view key) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(*settings.number(key) * 1e3));
}

store::CandidateRecord find_code(const llm::Reply& reply) {
  prompt::Extraction found = prompt::extract_source(reply.text, reply.finish_reason);
  if (!found.ok) return {"", std::move(found.reason)};
  return {std::move(found.source), ""};
}

int models_of(const Settings& settings) {
  return 1 + static_cast<int>(further_models(settings).size());
}

/// What reads candidates before the judge does, and what belongs to it.
struct Verifying {
  std::unique_ptr<llm::Model> model;
  std::unique_ptr<verifiers::Panel> panel;
  std::unique_ptr<verifiers::Gate> gate;
};

/// Empty without --verify-with.
Result<Verifying> make_verifying(const Settings& settings, const fs::path& folder,
                                 search::Composer& composer, evaluate::Evaluator& judge) {
  Verifying made;
  const std::string& spec = settings.text("search.verify_with");
  if (spec.empty()) return made;
  WW_CHECK(make_directories(folder / "verifiers"));
  WW_TRY(made.model, make_verifier(settings, spec, folder / "verifiers"));
  WW_TRY(const auto messages, composer.initial());
  made.panel = std::make_unique<verifiers::Panel>(*made.model, messages.back().text);
  made.gate = std::make_unique<verifiers::Gate>(judge, *made.panel);
  return made;
}

search::EngineOptions engine_options(const Settings& settings, const Task& task,
                                     const llm::ModelOptions& model, bool wait) {
  search::EngineOptions options;
  if (wait) options.look_for_answers = kAnswerGlance;
  options.limits = limits_of(settings);
  const auto share = settings.number("search.stop_at_roofline");
  if (share && *share > 0) options.stop_at_roofline = share;
  const auto sol = settings.number("search.stop_at_sol");
  if (sol && *sol > 0) options.stop_at_sol = sol;
  options.max_output_tokens = model.max_output_tokens;
  options.temperature = model.temperature;
  options.baseline_source = task.baseline_source;
  return options;
}

}  // namespace

int judge_parallelism(const Settings& settings) {
  if (const auto jobs = settings.integer("judge.jobs"); jobs && *jobs > 0) {
    return static_cast<int>(*jobs);
  }
  return usable_cores();
}

fs::path archive_path(const std::string& from_flag) {
  if (!from_flag.empty()) return from_flag;
  if (const char* variable = std::getenv("WARPWRIGHT_ARCHIVE"); variable && *variable)
    return variable;
  return fs::path(".warpwright") / "archive.db";
}

Result<std::unique_ptr<store::Archive>> existing_archive(const std::string& from_flag,
                                                         const Clock& clock) {
  const fs::path path = archive_path(from_flag);
  WW_TRY(const bool there, path_exists(path));
  if (!there) {
    return Error{"there is no archive '" + path.string() +
                 "'; start a run with 'warpwright run TASK' or name one with --archive"};
  }
  return store::Archive::open(path, clock);
}

Result<llm::ModelOptions> model_options(const Settings& settings) {
  llm::ModelOptions options;
  options.spec = settings.text("model.spec");
  options.base_url = settings.text("model.base_url");
  options.key_env = settings.text("model.key_env");
  options.temperature = settings.number("model.temperature");
  options.max_output_tokens = settings.integer("model.max_output_tokens").value_or(32768);
  options.reasoning = settings.text("model.reasoning");
  options.concurrency = static_cast<int>(settings.integer("model.concurrency").value_or(0));
  options.requests_per_minute = settings.number("model.requests_per_minute").value_or(0);
  options.tokens_per_minute = settings.number("model.tokens_per_minute").value_or(0);
  options.timeouts = {milliseconds_of(settings, "model.connect_timeout"),
                      milliseconds_of(settings, "model.idle_timeout"),
                      milliseconds_of(settings, "model.total_timeout")};
  options.max_tries = static_cast<int>(settings.integer("model.tries").value_or(6));
  options.proxy = settings.text("model.proxy");
  options.ca_file = settings.text("model.ca_file");
  options.extra_body = settings.text("model.extra_body");
  options.delay_scale = settings.number("model.delay_scale").value_or(1);
  if (const auto price = settings.price(options.spec)) {
    options.price = llm::Price{(*price)[0], (*price)[1], (*price)[2], (*price)[3]};
  }
  return options;
}

namespace {

/// The task with the libraries that --include names.
Result<Task> with_libraries(const Settings& settings, Task task) {
  const std::string& folders = settings.text("judge.include");
  if (folders.empty()) return task;
  if (!task.build.libraries) {
    return Error{"--include: the task '" + task.name + "' allows no libraries ([build] libraries)"};
  }
  for (const std::string& folder : split(folders, ',')) {
    const std::string path = absolute_path(folder).lexically_normal().string();
    if (!folder.empty()) task.build.include.push_back(path);
  }
  return task;
}

}  // namespace

Result<evaluate::JobRequest> job_pattern(const Settings& settings, const Task& task) {
  evaluate::JobRequest pattern;
  WW_TRY(pattern.task, with_libraries(settings, task));
  if (task.torch.python.empty()) pattern.task.torch.python = settings.text("torch.python");
  WW_TRY(pattern.device, chosen<DeviceName>(settings.text("judge.device"), "--device"));
  pattern.target = settings.text("judge.target");
  if (pattern.target == kLiveTarget) pattern.target = kUsualTarget;  // for where there is no GPU
  WW_TRY(pattern.rule_set, chosen<RuleSet>(settings.text("judge.rule_set"), "--rule-set"));
  WW_TRY(pattern.sizes, chosen_sizes(settings.text("judge.sizes"), task));
  WW_TRY(pattern.front_end,
         chosen<FrontEndChoice>(settings.text("judge.front_end"), "--front-end"));
  WW_TRY(pattern.checks, chosen<CheckLevel>(settings.text("judge.checks"), "--checks"));
  WW_TRY(pattern.sanitize, chosen<SanitizeChoice>(settings.text("judge.sanitize"), "--sanitize"));
  pattern.counters = settings.flag("judge.counters");
  pattern.limit_s = settings.number("judge.limit").value_or(120);
  pattern.unsafe = settings.flag("judge.unsafe");
  if (settings.text("judge.worker") == kMailbox) {
    return Error{"--worker: mailbox: needs a folder, as in mailbox:jobs"};
  }
  WW_CHECK(check_fleet(settings));
  // The worker refuses what is malformed, but only once a candidate was paid for: ask it now.
  auto checked = evaluate::request_from_json(evaluate::request_to_json(pattern));
  if (!checked.ok()) return Error{"judge settings: " + checked.error().message};
  return pattern;
}

fs::path mailbox_folder(const Settings& settings) {
  const std::string& worker = settings.text("judge.worker");
  if (!worker.starts_with(kMailbox)) return {};
  return absolute_path(worker.substr(kMailbox.size()));
}

Result<std::unique_ptr<evaluate::Evaluator>> make_evaluator(const Settings& settings,
                                                            JudgePlace place) {
  using Made = std::unique_ptr<evaluate::Evaluator>;
  if (names_a_fleet(settings)) {
    WW_TRY(auto fleet, make_fleet_evaluator(settings, std::move(place.pattern), place.queue));
    return Made(std::move(fleet));
  }
  const std::string device = place.pattern.device.text();
  if (const fs::path folder = mailbox_folder(settings); !folder.empty()) {
    evaluate::MailboxOptions options{
        .folder = folder, .pattern = std::move(place.pattern), .device = device};
    const auto jobs = settings.integer("judge.jobs").value_or(0);
    if (jobs > 0) options.parallelism = static_cast<int>(jobs);
    return Made(std::make_unique<evaluate::MailboxEvaluator>(std::move(options)));
  }
  evaluate::LocalOptions options{.worker = split(settings.text("judge.worker"), ' '),
                                 .server = {},
                                 .jobs = std::move(place.jobs),
                                 .pattern = std::move(place.pattern),
                                 .device = device,
                                 .parallelism = judge_parallelism(settings)};
  if (options.worker.empty()) {
    options.worker = {own_program(), "worker"};
    options.shared_server = std::move(place.shared);
    if (place.stay_warm) options.server = {own_program(), "worker", "--serve"};
  }
  return Made(std::make_unique<evaluate::LocalEvaluator>(std::move(options)));
}

std::shared_ptr<evaluate::WorkerClient> warm_worker() {
  return std::make_shared<evaluate::WorkerClient>(
      std::vector<std::string>{own_program(), "worker", "--serve"});
}

Result<DeviceFacts> target_facts(const Settings& settings) {
  const std::string& key = settings.text("judge.target");
  WW_TRY(const DeviceName device, chosen<DeviceName>(settings.text("judge.device"), "--device"));
  if (key != kLiveTarget) {
    auto facts = described_device(key);
    if (!facts.ok()) return Error{"--target: " + facts.error().message + "; auto: the GPU here"};
    return facts;
  }
  if (device != "simt" && (device != "auto" || device::cuda_available())) {
    WW_TRY(const auto live, device::resolve_device({.device = device, .target = kUsualTarget}));
    return live.facts;
  }
  return *known_device(kUsualTarget);
}

Result<prompt::FeedbackLevel> feedback_level(const Settings& settings) {
  const std::string& name = settings.text("search.feedback");
  if (const auto level = prompt::feedback_level_named(name)) return *level;
  return Error{"--feedback: '" + name + "' is neither paper nor rich"};
}

Result<prompt::TemplateSet> prompt_templates(const Settings& settings) {
  const std::string& folder = settings.text("search.prompts");
  return folder.empty() ? prompt::TemplateSet::embedded()
                        : prompt::TemplateSet::from_directory(folder);
}

Result<Task> task_for_model(const Settings& settings, const Task& task) {
  WW_TRY(const auto labels, chosen_sizes(settings.text("judge.sizes"), task));
  WW_TRY(Task told, with_libraries(settings, task));
  if (labels.empty()) return told;
  std::erase_if(told.sizes, [&](const TaskSize& size) {
    return std::find(labels.begin(), labels.end(), size.label) == labels.end();
  });
  return told;
}

Limits limits_of(const Settings& settings) {
  return {settings.integer("limits.evaluations"), settings.integer("limits.tokens"),
          settings.number("limits.usd"), settings.number("limits.wall"),
          settings.number("limits.device")};
}

Result<CheckedSettings> check_settings(const Settings& settings, const Task& task) {
  for (const char* key : {"search.candidates", "search.depth"}) {
    const auto value = settings.integer(key).value_or(0);
    if (value < 1 || value > 100'000) return Error{std::string(key) + " must be at least 1"};
  }
  WW_TRY(const auto facts, target_facts(settings));
  WW_TRY(const auto level, feedback_level(settings));
  WW_TRY(const auto templates, prompt_templates(settings));
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const auto model, make_search_model(settings, temporary_folder()));
  std::vector<const llm::Model*> asked;
  for (int i = 0; i < models_of(settings); ++i) asked.push_back(&model->chosen(i));
  std::unique_ptr<llm::Model> verifier;
  if (const std::string& spec = settings.text("search.verify_with"); !spec.empty()) {
    WW_TRY(verifier, make_verifier(settings, spec, temporary_folder()));
    asked.push_back(verifier.get());
  }
  WW_CHECK(check_prices(settings, asked));
  WW_TRY(const Task told, task_for_model(settings, task));
  WW_TRY(const auto examples, examples_for(settings, task));
  search::PromptComposer composer(templates, told, facts, std::string(pattern.rule_set.name()),
                                  level);
  WW_TRY(const auto strategy, search::make_strategy(settings.text("search.strategy"),
                                                    strategy_options(settings), composer));
  return CheckedSettings{model->price_known()};
}

fs::path run_folder(const store::Archive& archive, const store::RunRecord& run) {
  return archive.path().parent_path() / "runs" / run.folder;
}

fs::path given_kernel(const fs::path& folder) { return folder / "from.cu"; }

Result<HeldRun> hold_run(const store::Archive& archive, const store::RunRecord& run) {
  fs::path folder = run_folder(archive, run);
  WW_CHECK(make_directories(folder / "spool"));
  WW_TRY(auto lock, FileLock::acquire(folder / "lock"));
  if (!lock) {
    return Error{"run '" + run.id + "' is being worked on by another process, which holds '" +
                 (folder / "lock").string() + "'"};
  }
  return HeldRun{std::move(folder), std::move(*lock)};
}

Status tell_answer(store::Archive& archive, const std::string& run, const std::string& trial,
                   const std::string& text, const std::string& by) {
  if (trimmed(text).empty()) return Error{"the answer to " + trial + " is empty; nothing stored"};
  store::ReplyRecord reply;
  reply.text = clean_utf8(text);
  reply.model = by;
  reply.finish_reason = "stop";
  reply.origin = "tell";
  return archive.tell(run, trial, reply);
}

void describe(store::RunRecord& run, const Settings& settings) {
  run.strategy = settings.text("search.strategy");
  run.model = settings.text("model.spec");
  run.device = settings.text("judge.device") + " (" + settings.text("judge.target") + ")";
}

search::StrategyOptions strategy_options(const Settings& settings) {
  return {static_cast<int>(settings.integer("search.candidates").value_or(3)),
          static_cast<int>(settings.integer("search.depth").value_or(4)),
          static_cast<int>(settings.integer("search.repairs").value_or(3)), models_of(settings)};
}

namespace {

/// Why machine code cannot be tuned by this process; empty: it can.
std::string no_gpu_here(const Settings& settings, const evaluate::JobRequest& pattern) {
  if (!settings.text("judge.worker").empty())
    return "the judge is elsewhere: tune there, with warpwright sass tune TASK FILE";
  const auto target = evaluate::resolved_device(pattern);
  if (!target.ok()) return target.error().message;
  return target->is_cuda ? ""
                         : "machine code is tuned on a GPU only, and this run's device is none";
}

/// By which candidates are judged: the settings' one, else the task's own.
std::string rule_set_of(const evaluate::JobRequest& pattern) {
  const std::string chosen(pattern.rule_set.name());
  return chosen.empty() ? pattern.task.rule_set : chosen;
}

}  // namespace

Result<search::Ending> run_engine(store::Archive& archive, const store::RunRecord& run,
                                  const HeldRun& held, const Task& task, const Settings& settings,
                                  bool wait, const Onlookers& onlookers) {
  const auto& [observer, stop, clock] = onlookers;
  const fs::path& folder = held.folder;
  WW_TRY(const auto model_settings, model_options(settings));
  WW_TRY(const auto model, make_search_model(settings, folder / "spool"));
  WW_TRY(auto pattern, job_pattern(settings, task));
  pattern.cache = absolute_path(archive.path().parent_path() / "cache");
  const std::string queue = queue_of_run(archive.path(), run);
  WW_TRY(const auto evaluator, make_evaluator(settings, {.jobs = absolute_path(folder / "jobs"),
                                                         .pattern = pattern,
                                                         .queue = queue}));
  WW_TRY(auto templates, prompt_templates(settings));
  WW_TRY(const auto facts, target_facts(settings));
  WW_TRY(const auto level, feedback_level(settings));
  WW_TRY(const Task told, task_for_model(settings, task));
  search::PromptComposer composer(std::move(templates), told, facts,
                                  std::string(pattern.rule_set.name()), level);
  WW_TRY(auto examples, examples_for(settings, task));
  composer.show_examples(std::move(examples));
  composer.offer_tuning(settings.integer("search.tune").value_or(0) > 0);
  WW_TRY(const auto strategy, search::make_strategy(settings.text("search.strategy"),
                                                    strategy_options(settings), composer));
  WW_TRY(const Verifying verifying, make_verifying(settings, folder, composer, *evaluator));
  evaluate::Evaluator& judge = verifying.gate ? *verifying.gate : *evaluator;
  search::EngineOptions options = engine_options(settings, task, model_settings, wait);
  if (verifying.panel) options.verifying = verifying.panel->most();
  if (!settings.text("search.from").empty()) {
    WW_TRY(options.given_source, read_file(given_kernel(folder), kMaxGivenBytes));
    WW_TRY(options.given_question, composer.initial());
  }
  const auto dispatcher = search::make_thread_dispatcher(*model, judge, clock, stop);
  search::Engine engine(
      {*strategy, *dispatcher, *model, judge, find_code, archive, run, clock, stop, observer},
      std::move(options));
  search::Ending ending = engine.run();
  const auto budget = settings.integer("search.tune").value_or(0);
  const bool merges = settings.flag("search.merge");
  const std::string rule_set = rule_set_of(pattern);
  std::vector<portfolio::Part> configurations;
  if (budget > 0) {
    const TuneBudget limits{.most = static_cast<std::size_t>(budget),
                            .kept = merges && may_merge(rule_set) ? 1 : 0};
    WW_TRY(configurations, tune_best(archive, run, *evaluator, limits, ending, observer, stop));
  }
  if (merges) {
    WW_CHECK(merge_best({.archive = archive,
                         .run = run,
                         .task = task,
                         .rule_set = rule_set,
                         .evaluator = *evaluator,
                         .more = std::move(configurations),
                         .stop = stop},
                        ending, observer));
  }
  tune_schedule({.archive = archive,
                 .run = run,
                 .pattern = pattern,
                 .no_gpu = no_gpu_here(settings, pattern),
                 .minutes = settings.number("search.sass").value_or(0),
                 .tune =
                     [&](const evaluate::JobRequest& request, double minutes) {
                       return tune_source(request, absolute_path(folder / "sass"), minutes,
                                          onlookers.stop);
                     }},
                ending, observer);
  // All verdicts are in the archive: nobody asks the spool again.
  if (ending.status == store::RunStatus::finished) forget_queue(settings, queue);
  return ending;
}

int work_on_run(store::Archive& archive, const store::RunRecord& run, const HeldRun& held,
                const Task& task, const Settings& settings, const RunManner& manner,
                const Clock& clock) {
  const auto work = [&]() -> Result<int> {
    StopSignal stop;
    const InterruptGuard interrupts(stop);
    search::Ending ending;
    {
      const auto observer = make_progress(manner.mode, strategy_options(settings), clock);
      WW_TRY(ending,
             run_engine(archive, run, held, task, settings, manner.wait, {*observer, stop, clock}));
    }
    return print_ending(archive, run.id, ending, manner.mode);
  };
  const auto code = work();
  return code.ok() ? *code : fail(code.error());
}

}  // namespace warpwright::cli
