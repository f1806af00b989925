// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "bench/kernel_file.h"
#include "cli/exit_codes.h"
#include "cli/export_files.h"
#include "cli/export_folder.h"
#include "cli/export_forms.h"
#include "cli/options.h"
#include "cli/sass_files.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "cli/written_files.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "llm/exec.h"
#include "port/hip_unit.h"
#include "port/project.h"
#include "sass/cubin.h"

namespace warpwright::cli {

namespace {

struct ExportFlags {
  std::string archive;
  std::string run;
  std::string trial;
  std::string folder;
  std::string kernels;
  std::string commit;
  ExportNames names;
  bool recording = false;
  FormFlags form;
  bool force = false;
  bool hip = false;
};

/// The prompt of a trial as `ask` shows it.
Result<std::string> prompt_of(store::Archive& archive, const std::string& run,
                              const std::string& trial) {
  WW_TRY(const auto records, archive.messages(run, trial));
  std::vector<llm::Message> messages;
  for (const auto& record : records) {
    messages.push_back({static_cast<llm::Role>(record.role), record.text});
  }
  return llm::prompt_text(messages);
}

/// The run's answers in the form that `--model replay:FOLDER` reads (docs/formats.md), and each
/// prompt once: those of a round's candidates are often the same.
Result<Files> recording_files(store::Archive& archive, const std::string& run,
                              const std::vector<store::TrialRecord>& trials) {
  Files files;
  std::map<std::string, std::string> names;  // by prompt
  std::string lines;
  for (const auto& trial : trials) {
    if (!trial.reply) continue;
    const auto& reply = *trial.reply;
    WW_TRY(const std::string prompt, prompt_of(archive, run, trial.prompt.trial));
    const std::string& name =
        names.emplace(prompt, "prompts/" + trial.prompt.trial + ".md").first->second;
    files[name] = prompt;
    const nlohmann::json line = {{"id", trial.prompt.trial},
                                 {"prompt", name},
                                 {"text", reply.text},
                                 {"reasoning", reply.reasoning},
                                 {"model", reply.model},
                                 {"finish_reason", reply.finish_reason},
                                 {"usage",
                                  {{"fresh", reply.fresh},
                                   {"cache_read", reply.cache_read},
                                   {"cache_write", reply.cache_write},
                                   {"output", reply.output},
                                   {"reasoning", reply.reasoning_tokens},
                                   {"estimated", reply.estimated}}}};
    lines += dump_json(line) + "\n";
  }
  files["conversation.jsonl"] = lines;
  return files;
}

/// KERNELS/TASK.cu, or KERNELS/free/TASK.cu, as `warpwright bench --kernels` reads it.
Files kernel_file(const ExportFlags& flags, const Task& task, const store::RunRecord& run,
                  const store::TrialRecord& best, const std::vector<store::ConfigValue>& config) {
  bench::KernelOrigin origin;
  origin.task = task.name;
  origin.rule_set = task.rule_set;
  for (const auto& value : config) {
    const bool named = value.key == "judge.rule_set" || value.key == "judge.lane";
    if (named && !value.value.empty()) origin.rule_set = value.value;
  }
  origin.device = best.evaluation->device;
  origin.date =
      fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(run.created_ms / 1000)));
  origin.commit = flags.commit;
  origin.made_by = "warpwright " WARPWRIGHT_VERSION;
  origin.model = best.reply && !best.reply->model.empty() ? best.reply->model : run.model;
  origin.run = run.id + " " + best.prompt.trial;
  origin.measurements = best.evaluation->measurements;
  const bool other_rules = origin.rule_set == "free" && task.rule_set != "free";
  return {{(other_rules ? "free/" : "") + task.name + ".cu",
           bench::kernel_file_text(origin, best.candidate->source)}};
}

/// Machine code that was made from the kernel's source and proven beside it: with a loader, the
/// source as it was judged, and the proof. Nothing where there is none.
Result<Files> machine_code_files(store::Archive& archive, const std::string& run,
                                 const store::TrialRecord& trial) {
  Files files;
  WW_TRY(const auto derived, archive.derived(run, store::Archive::Content::read));
  for (const auto& record : derived) {
    if (!record.accepted || record.source_sha256 != trial.source_sha256) continue;
    WW_TRY(const auto cubin, sass::Cubin::parse(record.content));
    files["sass/tuned.cubin"] = record.content;
    files["sass/loader.h"] = loader_text(cubin.architecture());
    files["sass/original.cu"] = trial.candidate->source;
    files["sass/report.json"] = record.report;
  }
  return files;
}

/// The same sources for devices of AMD, in hip/; what has no counterpart there is said.
Status write_hip(const Files& files, const std::filesystem::path& folder) {
  for (const auto& [name, content] : files) {
    if (!name.ends_with(".cu") || name.starts_with("sass/")) continue;
    const std::filesystem::path source = folder / name;
    if (port::is_hip_source(content)) {
      const std::filesystem::path copy = source.parent_path() / "hip" / source.filename();
      WW_CHECK(make_directories(copy.parent_path()));
      WW_CHECK(write_file(copy, content));
      std::printf("%s\n", copy.c_str());
      continue;
    }
    WW_TRY(const port::CarriedProject project,
           port::carry_over({source, source.parent_path() / "hip", port::Direction::to_hip}));
    for (const std::string& file : project.files)
      std::printf("%s\n", (project.folder / file).c_str());
    for (const port::Unmapped& row : project.findings.unmapped)
      std::fprintf(stderr, "warpwright: %s:%zu: no counterpart: %s (%s)\n", row.file.c_str(),
                   static_cast<std::size_t>(row.line), row.text.c_str(), row.advice.c_str());
  }
  return {};
}

/// The run's best kernel, or another valid one, with what was measured.
Result<Judged> judged_from_run(store::Archive& archive, const std::string& name,
                               const std::string& trial) {
  WW_TRY(const auto run, archive.find_run(name));
  WW_TRY(const auto trials, archive.trials(run.id));
  WW_TRY(const auto* best, valid_trial(run, trials, trial));
  Judged judged;
  WW_TRY(judged.winner.task, task_from_json(run.task_json));
  judged.winner.source = best->candidate->source;
  judged.evaluation = *best->evaluation;
  judged.winner.measured = measured_words(*best->evaluation);
  return judged;
}

/// In a form of others: of a run, or of a task and a kernel's file.
Result<int> write_form(const ExportFlags& flags) {
  const FormFlags& form = flags.form;
  const SystemClock clock;
  std::unique_ptr<store::Archive> archive;
  if (form.kernel.empty() || !form.backward.empty()) {
    WW_TRY(archive, existing_archive(flags.archive, clock));
  }
  if (form.kernel.empty() && flags.run.empty())
    return Error{"name a run, or a task and a kernel: --task TASK --kernel FILE.cu"};
  WW_TRY(const Judged judged, form.kernel.empty()
                                  ? judged_from_run(*archive, flags.run, flags.trial)
                                  : judged_from_files(form.task, form.kernel));
  std::optional<Judged> backward;
  if (!form.backward.empty()) {
    WW_TRY(backward, judged_from_run(*archive, form.backward, ""));
  } else if (!form.backward_kernel.empty()) {
    WW_TRY(backward, judged_from_files(form.backward_task, form.backward_kernel));
  }
  WW_TRY(const auto files, form_files(form, judged, backward ? &*backward : nullptr));
  const std::filesystem::path folder =
      flags.folder.empty() ? judged.winner.task.name + "_export" : flags.folder;
  WW_CHECK(may_write_to(folder, flags.force));
  WW_CHECK(write_files(folder, files, Say::each_file));
  return static_cast<int>(kOk);
}

/// What was found for a device of AMD builds there alone.
Status write_hip_where_meant(const ExportFlags& flags, const Files& files,
                             const std::filesystem::path& folder) {
  bool hip = flags.hip;
  for (const auto& [name, content] : files)
    hip = hip || (name.ends_with(".cu") && port::is_hip_source(content));
  return hip ? write_hip(files, folder) : Status{};
}

/// The plain folder of a task and a kernel's file, without a run.
Result<int> write_file_export(const ExportFlags& flags) {
  if (flags.recording || !flags.kernels.empty())
    return Error{"--recording and --kernels are of a run: name one instead of --kernel"};
  WW_TRY(const Judged judged, judged_from_files(flags.form.task, flags.form.kernel));
  const Task& task = judged.winner.task;
  std::optional<exchange::TestCase> test;
  if (!task.baseline_source.empty()) {
    WW_TRY(test, test_case(task));
  }
  WW_TRY(auto files, export_folder(kernel_of_file(judged), flags.names, test ? &*test : nullptr));
  files = without_cuda_parts(std::move(files));
  const std::filesystem::path folder = flags.folder.empty() ? task.name + "_export" : flags.folder;
  WW_CHECK(may_write_to(folder, flags.force));
  WW_CHECK(write_files(folder, files, Say::each_file));
  WW_CHECK(write_hip_where_meant(flags, files, folder));
  return static_cast<int>(kOk);
}

Result<int> write_export(const ExportFlags& flags) {
  if (!flags.form.kernel.empty() && !flags.run.empty())
    return Error{"name a run, or a kernel's file with --kernel, not both"};
  if (flags.form.any()) return write_form(flags);
  WW_CHECK(check_names(flags.names));
  if (!flags.form.kernel.empty()) return write_file_export(flags);
  if (flags.run.empty())
    return Error{"name a run (its id, its beginning, or last), or --task TASK --kernel FILE.cu"};
  const SystemClock clock;
  WW_TRY(const auto archive, existing_archive(flags.archive, clock));
  WW_TRY(const auto run, archive->find_run(flags.run));
  WW_TRY(const auto trials, archive->trials(run.id));
  std::filesystem::path folder = flags.folder.empty() ? run.id : flags.folder;
  Files files;
  if (flags.recording) {
    WW_TRY(files, recording_files(*archive, run.id, trials));
  } else {
    WW_TRY(const auto* best, valid_trial(run, trials, flags.trial));
    WW_TRY(const Task task, task_from_json(run.task_json));
    WW_TRY(const auto config, archive->config(run.id));
    if (flags.kernels.empty()) {
      WW_TRY(files, export_files(task, run, *best, config, flags.names));
      WW_TRY(auto machine_code, machine_code_files(*archive, run.id, *best));
      files.merge(machine_code);
      files = without_cuda_parts(std::move(files));
    } else {
      folder = flags.kernels;
      files = kernel_file(flags, task, run, *best, config);
    }
  }
  if (flags.kernels.empty()) WW_CHECK(may_write_to(folder, flags.force));
  WW_CHECK(write_files(folder, files, Say::each_file));
  WW_CHECK(write_hip_where_meant(flags, files, folder));
  return static_cast<int>(kOk);
}

void add_form_options(CLI::App& verb, FormFlags& form) {
  verb.add_flag("--torch", form.torch, "a package with an operator of PyTorch (docs/torch.md)");
  verb.add_flag("--kernelbench", form.kernelbench, "a file with ModelNew for KernelBench");
  verb.add_flag("--trace", form.trace, "a Solution and Traces for FlashInfer-Bench, SOL-ExecBench");
  verb.add_flag("--gpu-mode", form.gpu_mode, "submission.py for a problem of gpu-mode");
  auto* task = verb.add_option("--task", form.task, "with --kernel, instead of a run: its task");
  auto* kernel =
      verb.add_option("--kernel", form.kernel, "a kernel's file instead of a run's best");
  kernel->needs(task);
  verb.add_option("--backward", form.backward, "with --torch: a run of the module's gradients");
  auto* other = verb.add_option("--backward-task", form.backward_task, "or their task");
  verb.add_option("--backward-kernel", form.backward_kernel, "and their kernel")->needs(other);
}

}  // namespace

void add_export(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ExportFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last");
  verb.add_option("-o,--out", flags->folder, "folder to write to [the run's id]");
  verb.add_option("--kernels", flags->kernels,
                  "only FOLDER/TASK.cu with a head that says where it comes from (docs/bench.md)")
      ->excludes("--out");
  verb.add_option("--commit", flags->commit, "with --kernels: commit to name in the head");
  verb.add_option("--trial", flags->trial, "another valid trial than the best");
  verb.add_option("--function", flags->names.function, "name of the function [solve]");
  verb.add_option("--namespace", flags->names.scope,
                  "namespace of the function, as in mine::fast [none]");
  verb.add_flag("-f,--force", flags->force, "write into a folder that is there already");
  verb.add_flag("--recording", flags->recording,
                "the conversation, for --model replay:FOLDER, instead");
  verb.add_flag("--hip", flags->hip, "also the sources for devices of AMD, in hip/ (docs/port.md)")
      ->excludes("--recording");
  add_form_options(verb, flags->form);
  add_archive_option(verb, flags->archive);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = write_export(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
