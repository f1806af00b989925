// SPDX-License-Identifier: Apache-2.0
#include "cli/port_search.h"

#include "base/files.h"
#include "cli/asked_models.h"
#include "cli/session.h"
#include "core/task_json.h"
#include "repair/port_composer.h"
#include "search/engine.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

/// What the file was made of.
fs::path origin_of(const port::CarriedProject& project, const std::string& file) {
  for (const port::Unit& unit : project.units)
    if (unit.name == file) return unit.from;
  return project.root / file;
}

Result<repair::PortStory> story_of(const repair::PortProof& proof) {
  repair::PortStory story;
  story.file = proof.file;
  story.direction = proof.direction;
  story.targets = proof.targets;
  WW_TRY(story.original, read_file(origin_of(proof.project, proof.file), kLargestFile));
  for (const port::Unmapped& row : proof.project.findings.unmapped)
    if (row.file == proof.file) story.findings.unmapped.push_back(row);
  for (const port::Hazard& row : proof.project.findings.hazards)
    if (row.file == proof.file) story.findings.hazards.push_back(row);
  return story;
}

/// A new run, or the one that is gone on with.
Result<store::RunRecord> run_of(store::Archive& archive, const PortSearch& search,
                                const Settings& settings, const std::string& device) {
  if (!search.resume.empty()) return archive.find_run(search.resume);
  Task task;
  task.name = "port:" + search.proof.file;
  task.title = "A port of " + search.proof.file;
  store::RunRecord run;
  run.task = task.name;
  run.task_json = task_to_json(task);
  describe(run, settings);
  run.strategy = "fsr";
  run.device = device;
  WW_TRY(const std::string id, archive.create_run(run, settings.all()));
  return archive.find_run(id);
}

search::EngineOptions engine_options_for(const Settings& settings, const llm::ModelOptions& model) {
  search::EngineOptions options;
  options.limits = limits_of(settings);
  options.max_output_tokens = model.max_output_tokens;
  options.temperature = model.temperature;
  return options;
}

PortMended mended_from(const search::Ending& ending, const std::string& file,
                       const std::string& run) {
  PortMended mended;
  mended.file = file;
  std::string text = "search: run " + run + ", " + std::to_string(ending.state.finished) +
                     " versions of " + file + " judged, ";
  if (ending.best) {
    mended.source = ending.best->source;
    text += "version " + ending.best->proposal.id + " holds";
  } else {
    text += "none holds";
  }
  if (!ending.why.empty()) text += " (" + ending.why + ")";
  mended.notes.push_back(std::move(text));
  mended.waits = ending.status == store::RunStatus::waiting;
  if (mended.waits)
    mended.notes.push_back("search: questions wait: 'warpwright ask " + run +
                           "', 'warpwright tell " + run +
                           " ID FILE', then this command with --resume " + run);
  return mended;
}

}  // namespace

Result<PortMended> mend_port(PortSearch search, const port::PortReport& report) {
  search.proof.file = repair::file_to_mend(report.project, report.compiled);
  if (search.proof.file.empty()) return Error{"--model: the port has no file to write anew"};
  WW_TRY(const Settings settings, settings_from(*search.settings));
  WW_TRY(const auto model_settings, model_options(settings));
  WW_TRY(const sandbox::Sandbox sandbox, sandbox::Sandbox::open());
  WW_TRY(build::Builder builder,
         build::Builder::create(sandbox, build::find_toolchain(), {.cache = search.cache}));
  repair::PortJudge judge(search.proof, std::move(builder));
  WW_TRY(repair::PortStory story, story_of(search.proof));
  repair::PortComposer composer(std::move(story));
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open(archive_path(search.archive), clock));
  WW_TRY(const store::RunRecord run, run_of(*archive, search, settings, judge.device()));
  WW_TRY(const HeldRun held, hold_run(*archive, run));
  WW_TRY(const auto model, make_search_model(settings, held.folder / "spool"));
  search::EngineOptions options = engine_options_for(settings, model_settings);
  WW_TRY(options.given_source, read_file(report.project.folder / search.proof.file, kLargestFile));
  WW_TRY(options.given_question, composer.initial());
  search::StrategyOptions plan = strategy_options(settings);
  plan.depth = 1;  // what holds is not made faster
  plan.models = 1;
  const auto strategy = search::make_fsr(plan, composer);
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  const auto observer =
      make_progress(search.quiet ? ProgressMode::quiet : ProgressMode::automatic, plan, clock);
  const auto dispatcher = search::make_thread_dispatcher(*model, judge, clock, stop);
  search::Engine engine({*strategy, *dispatcher, *model, judge, repair::file_in_reply, *archive,
                         run, clock, stop, *observer},
                        std::move(options));
  const search::Ending ending = engine.run();
  if (ending.status == store::RunStatus::failed) return Error{ending.why};
  return mended_from(ending, search.proof.file, run.id);
}

}  // namespace warpwright::cli
