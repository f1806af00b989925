// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "base/swept_folder.h"
#include "cli/exit_codes.h"
#include "cli/export_files.h"
#include "cli/judging.h"
#include "cli/merging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "portfolio/portfolio.h"
#include "store/run_log.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

using nlohmann::json;
using portfolio::Dispatch;
using portfolio::Part;

struct MergeFlags {
  std::vector<std::string> parts;
  std::string task, out, archive;
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

/// What is to be merged, before it is judged.
struct Given {
  std::optional<Task> task;
  std::vector<Part> parts;
  std::set<std::string> spare;  ///< names of parts that may turn out to be invalid here
};

/// The best kernel of a run, and those that were faster than it at some size.
Status add_run_parts(Given& given, store::Archive& archive, const std::string& name) {
  WW_TRY(const auto run, archive.find_run(name));
  WW_TRY(const auto trials, archive.trials(run.id));
  WW_TRY(const auto* best, valid_trial(run, trials, ""));
  WW_TRY(Task task, task_from_json(run.task_json));
  if (given.task && given.task->name != task.name) {
    return Error{"run '" + run.id + "' is of the task '" + task.name + "', not of '" +
                 given.task->name + "'"};
  }
  given.parts.push_back({run.id + " " + best->prompt.trial, best->candidate->source, {}});
  // What is merged already has the others inside.
  const auto kernels =
      best->prompt.kind == kMergeStep ? std::vector<Part>() : valid_kernels(trials, run.best_trial);
  if (const auto chosen = portfolio::portfolio_of(task, kernels); chosen.ok()) {
    for (const Part& part : chosen->parts) {
      if (part.source == best->candidate->source) continue;
      given.parts.push_back({run.id + " " + part.name, part.source, {}});
      given.spare.insert(given.parts.back().name);
    }
  }
  if (!given.task) given.task = std::move(task);
  return {};
}

Result<Given> read_parts(const MergeFlags& flags) {
  Given given;
  if (!flags.task.empty()) {
    WW_TRY(given.task, task_named(flags.task));
  }
  const SystemClock clock;
  std::unique_ptr<store::Archive> archive;
  for (const std::string& name : flags.parts) {
    if (name.ends_with(".cu")) {
      WW_TRY(std::string source, read_file(name, std::size_t{1} << 20));
      given.parts.push_back({name, std::move(source), {}});
      continue;
    }
    if (!archive) {
      WW_TRY(archive, store::Archive::open(archive_path(flags.archive), clock));
    }
    WW_CHECK(add_run_parts(given, *archive, name));
  }
  if (!given.task) return Error{"files alone do not say their task; name it with --task"};
  if (given.parts.size() < 2 && archive) {
    return Error{given.parts.front().name +
                 " is the fastest kernel of its run at every size; name another run or file"};
  }
  if (given.parts.size() < 2) return Error{"there must be at least two kernels to merge"};
  return given;
}

/// In the archive, as a run of its own: show, export and report take it.
Result<std::string> store_merge(const MergeFlags& flags, const Settings& settings, const Task& task,
                                const std::vector<Part>& parts, const Part& merged) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open(archive_path(flags.archive), clock));
  store::RunRecord run;
  run.task = task.name;
  run.task_json = task_to_json(task);
  describe(run, settings);
  run.strategy = kMergeStep;
  run.model = "merge";
  WW_TRY(run.id, archive->create_run(run, settings.all()));
  store::RunLog log(*archive, run.id);
  std::string text = "Merged by size from:";
  for (const Part& part : parts) text += "\n- " + part.name;
  store::PromptRecord prompt{"m1", 1, 1, 0, kMergeStep, "", {{1, text}}};
  store::ReplyRecord reply;
  reply.text = text + "\n\n```cuda\n" + merged.source + "```\n";
  reply.model = "merge";
  reply.finish_reason = "stop";
  reply.origin = "merge";
  WW_CHECK(log.begin());
  WW_TRY(const auto stored, log.remember_prompt(prompt));
  WW_CHECK(log.add_reply("m1", reply));
  WW_CHECK(log.add_candidate("m1", {merged.source, ""}));
  WW_CHECK(log.add_evaluation(sha256_hex(merged.source), merged.evaluation));
  WW_CHECK(log.commit());
  run.status = store::RunStatus::finished;
  run.ending = "merged by size";
  if (merged.evaluation.valid()) run.best_trial = stored.trial;
  WW_CHECK(archive->set_state(run));
  return run.id;
}

const Measurement* at_size(const Part& part, const std::string& size) {
  for (const Measurement& m : part.evaluation.measurements) {
    if (m.size == size) return &m;
  }
  return nullptr;
}

/// Slower than the fastest part, and their intervals do not meet.
bool is_behind(const Measurement& m, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    const Measurement* other = at_size(part, m.size);
    if (other != nullptr && m.low_us > 1.01 * other->high_us && call_us(m) > call_us(*other)) {
      return true;
    }
  }
  return false;
}

json merge_json(const Task& task, const std::vector<Part>& parts, const Dispatch& dispatch,
                const Part& merged) {
  json document = {{"format", 1},
                   {"task", task.name},
                   {"verdict", name_of(merged.evaluation.verdict)},
                   {"reason", merged.evaluation.reason},
                   {"device", merged.evaluation.device},
                   {"scalars", dispatch.scalars},
                   {"parts", json::array()},
                   {"ranges", json::array()},
                   {"sizes", json::array()}};
  for (const Part& part : parts) {
    json one = {{"name", part.name}};
    if (const auto us = score_us(part.evaluation)) one["score_us"] = *us;
    document["parts"].push_back(one);
  }
  if (const auto us = score_us(merged.evaluation)) document["score_us"] = *us;
  for (const auto& range : dispatch.ranges) {
    document["ranges"].push_back({{"above", range.above}, {"part", range.part}});
  }
  for (const Measurement& m : merged.evaluation.measurements) {
    json times = json::array();
    for (const Part& part : parts) {
      const Measurement* other = at_size(part, m.size);
      times.push_back(other == nullptr ? json(nullptr) : json(call_us(*other)));
    }
    document["sizes"].push_back({{"size", m.size},
                                 {"us", call_us(m)},
                                 {"parts_us", times},
                                 {"estimated", m.source == TimeSource::estimated},
                                 {"behind", is_behind(m, parts)}});
  }
  return document;
}

void print_merge(const json& document) {
  std::printf("%s on %s%s%s\n", document["verdict"].get<std::string>().c_str(),
              document["device"].get<std::string>().c_str(),
              document["reason"].get<std::string>().empty() ? "" : ": ",
              document["reason"].get<std::string>().c_str());
  for (std::size_t i = 0; i < document["parts"].size(); ++i) {
    std::printf("  part %zu: %s\n", i, document["parts"][i]["name"].get<std::string>().c_str());
  }
  for (const auto& size : document["sizes"]) {
    std::string line = fmt::format("  {:<24} merged {:10.3f} us, parts",
                                   size["size"].get<std::string>(), size["us"].get<double>());
    for (const auto& us : size["parts_us"]) {
      line += us.is_null() ? "          -" : fmt::format(" {:10.3f}", us.get<double>());
    }
    if (size["estimated"].get<bool>()) line += "  (estimates)";
    if (size["behind"].get<bool>()) line += "  behind a part";
    std::printf("%s\n", line.c_str());
  }
}

Result<Evaluation> judged(evaluate::Evaluator& evaluator, const Task& task, const std::string& id,
                          const std::string& source, const StopSignal& stop) {
  WW_TRY(Evaluation evaluation, evaluator.evaluate({.id = id, .source = source}, stop));
  if (evaluation.verdict == Verdict::harness_error) {
    return Error{"the judge failed on " + task.name + ": " + evaluation.reason};
  }
  return evaluation;
}

/// Each part judged here and now; a spare one that is not valid leaves.
Status judge_parts(evaluate::Evaluator& evaluator, Given& given, const StopSignal& stop) {
  const auto id_of = [](std::size_t i) { return "part-" + std::to_string(i); };
  for (std::size_t i = 0; i < given.parts.size(); ++i) {
    evaluator.expect({.id = id_of(i), .source = given.parts[i].source});
  }
  for (std::size_t i = 0; i < given.parts.size(); ++i) {
    Part& part = given.parts[i];
    WW_TRY(part.evaluation, judged(evaluator, *given.task, id_of(i), part.source, stop));
    if (part.evaluation.valid()) continue;
    const std::string why = part.name +
                            " is not valid here: " + std::string(name_of(part.evaluation.verdict)) +
                            ": " + part.evaluation.reason;
    if (!given.spare.contains(part.name)) return Error{why};
    std::fprintf(stderr, "%s; merged without it\n", why.c_str());
  }
  std::erase_if(given.parts, [](const Part& part) { return !part.evaluation.valid(); });
  if (given.parts.size() < 2) return Error{"only one of the kernels is valid here"};
  return {};
}

Result<int> merge(const MergeFlags& flags) {
  WW_TRY(Settings settings, settings_from(*flags.settings));
  WW_TRY(Given given, read_parts(flags));
  // Together they are more than one kernel function, whatever each of them is.
  WW_CHECK(settings.set("judge.rule_set", "free", "merge"));
  const Task& task = *given.task;
  WW_TRY(const SweptFolder jobs, SweptFolder::create("warpwright-merge-"));
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const auto evaluator, make_evaluator(settings, {.jobs = jobs.path(), .pattern = pattern}));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_CHECK(judge_parts(*evaluator, given, stop));
  WW_TRY(const Dispatch dispatch, portfolio::dispatch_by_size(task, given.parts));
  Part merged{"merged", "", {}};
  WW_TRY(merged.source, portfolio::merged_source(task, given.parts, dispatch));
  WW_TRY(merged.evaluation, judged(*evaluator, task, "merged", merged.source, stop));
  const bool valid = merged.evaluation.valid();
  if (valid && !task.baseline_source.empty()) {
    WW_TRY(const Evaluation baseline, judge_baseline(*evaluator, task, "baseline", stop));
    add_baseline_times(merged.evaluation, baseline);
  }
  WW_TRY(const std::string run, store_merge(flags, settings, task, given.parts, merged));
  json document = merge_json(task, given.parts, dispatch, merged);
  document["run"] = run;
  if (valid) {
    const std::string out = flags.out.empty() ? task.name + ".merged.cu" : flags.out;
    WW_CHECK(write_file(out, merged.source));
    document["out"] = out;
  }
  if (flags.json) {
    std::printf("%s\n", dump_json(document, 1).c_str());
  } else {
    print_merge(document);
    std::printf("Run %s; 'warpwright export %s' writes it with header and test.%s%s\n", run.c_str(),
                run.c_str(), valid ? " Written: " : "",
                valid ? document["out"].get<std::string>().c_str() : "");
  }
  return static_cast<int>(valid ? kOk : kBad);
}

}  // namespace

void add_merge(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<MergeFlags>();
  verb.add_option("parts", flags->parts, "runs (id, beginning of one, last) and .cu files")
      ->required();
  verb.add_option("--task", flags->task, "the task, where files alone are given");
  verb.add_option("-o,--out", flags->out, "where the source is written [TASK.merged.cu]");
  verb.add_flag("--json", flags->json, "the whole result as JSON (docs/search.md)");
  add_archive_option(verb, flags->archive);
  flags->settings =
      add_setting_flags(verb, {"judge.device", "judge.target", "judge.worker", "judge.sizes",
                               "judge.front_end", "judge.checks", "judge.sanitize", "judge.limit",
                               "judge.jobs", "judge.unsafe", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = merge(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
