// SPDX-License-Identifier: Apache-2.0
// The suite against its baselines, kernels and comparators: prepare, run, collect, or all three.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/process.h"
#include "bench/board.h"
#include "cli/bench_suite.h"
#include "cli/exit_codes.h"
#include "cli/fleet_judge.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "report/bench_document.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

struct BenchFlags {
  std::vector<std::string> tasks;
  std::string kernels, folder = "warpwright-bench", prepare, collect, more, json, html;
  SuiteFlags suite;
  bool quick = false, no_slow = false, validate = false, extensions = false;
  std::shared_ptr<SettingFlags> settings;
};

Result<std::vector<Task>> chosen_tasks(const BenchFlags& flags) {
  std::vector<Task> tasks;
  for (const auto& name : flags.tasks) {
    WW_TRY(auto task, task_named(name));
    tasks.push_back(std::move(task));
  }
  if (!tasks.empty()) return tasks;
  for (const auto& name : suite::embedded_task_names()) {
    WW_TRY(auto task, suite::load_embedded_task(name));
    if (task.group.empty() || flags.extensions) tasks.push_back(std::move(task));
  }
  return tasks;
}

Status prepare(const BenchFlags& flags, const Settings& settings,
               const bench::BenchFolder& folder) {
  bench::PrepareOptions options;
  WW_TRY(options.tasks, chosen_tasks(flags));
  options.kernels = flags.kernels;
  options.quick = flags.quick;
  options.slow = !flags.no_slow && !flags.quick;
  options.validate = flags.validate;
  WW_TRY(options.pattern, job_pattern(settings, options.tasks.front()));
  // Jobs that share a GPU also wait for each other.
  options.pattern.limit_s = std::max(options.pattern.limit_s, 300.0);
  return folder.prepare(options);
}

std::string outcome_of(const bench::BenchFolder& folder, const bench::BenchJob& job) {
  const auto result = folder.job(job).read_result();
  if (!result.ok()) return "no result";
  std::string text(name_of(result->verdict));
  if (!result->valid()) text += ": " + result->reason;
  for (const auto& m : result->measurements) {
    text += fmt::format("{}{}{:.2f}", &m == &result->measurements.front() ? "  " : ", ",
                        m.source == TimeSource::estimated ? "~" : "", m.median_us);
  }
  return text;
}

/// Prints a line for each job as its result appears.
class Progress {
 public:
  Progress(const bench::BenchFolder& folder, std::vector<bench::BenchJob> jobs)
      : folder_(folder), waiting_(std::move(jobs)), all_(waiting_.size()) {}

  void look() {
    std::erase_if(waiting_, [&](const bench::BenchJob& job) {
      if (!folder_.job(job).has_result()) return false;
      std::fprintf(stderr, "[%zu/%zu] %-28s %s\n", ++done_, all_, job.job.c_str(),
                   outcome_of(folder_, job).c_str());
      return true;
    });
  }

 private:
  const bench::BenchFolder& folder_;
  std::vector<bench::BenchJob> waiting_;
  std::size_t all_, done_ = 0;
};

/// One worker for all jobs without a result: it compiles in parallel and keeps the device warm.
Status run_jobs(const bench::BenchFolder& folder) {
  WW_TRY(auto jobs, folder.jobs());
  const std::size_t all = jobs.size();
  std::erase_if(jobs, [&](const auto& job) { return !folder.to_do(job); });
  if (jobs.size() < all) {
    std::fprintf(stderr, "%zu of %zu jobs are done already\n", all - jobs.size(), all);
  }
  if (jobs.empty()) return {};
  Progress progress(folder, jobs);
  Command command;
  command.argv = {own_program(), "worker"};
  command.env = environment_subset({"PATH", "TMPDIR", "CUDA_HOME", "CUDA_PATH",
                                    "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ASAN_OPTIONS"});
  command.env.emplace_back("LC_ALL=C.UTF-8");
  command.on_stdout = [&](std::string_view) { progress.look(); };
  for (const auto& job : jobs) {
    std::error_code ignored;
    fs::remove(folder.job(job).path() / "result.json", ignored);
    command.argv.push_back(absolute_path(folder.job(job).path()).string());
  }
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const ProcessExit exit, run_process(command, &stop));
  progress.look();
  if (exit.stopped) return Error{"interrupted; the same command goes on from here"};
  if (exit.exit_code != kFailed && exit.exit_code >= 0) return {};
  std::fprintf(stderr, "the worker ended with %s\n%s", exit.describe().c_str(), exit.err.c_str());
  return {};
}

/// The same by a fleet: all jobs on one GPU model.
Status run_on_fleet(const bench::BenchFolder& folder, const Settings& settings) {
  WW_TRY(auto jobs, folder.jobs());
  std::erase_if(jobs, [&](const auto& job) { return !folder.to_do(job); });
  if (jobs.empty()) return {};
  Progress progress(folder, jobs);
  WW_TRY(const auto fleet, make_fleet_evaluator(settings, {}, ""));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  std::mutex one;
  std::string failed;
  {
    std::vector<std::jthread> threads;
    for (const auto& job : jobs) {
      threads.emplace_back([&, place = folder.job(job)] {
        const auto work = [&]() -> Status {
          WW_TRY(auto request, place.read_request());
          WW_TRY(const Evaluation evaluation, fleet->judge(std::move(request), stop));
          return place.write_result(evaluation);
        };
        const Status done = work();
        const std::lock_guard lock(one);
        if (!done.ok()) failed = done.error().message;
        progress.look();
      });
    }
  }
  if (stop.requested()) return Error{"interrupted; the same command goes on from here"};
  return failed.empty() ? Status() : Status(Error{failed});
}

Result<int> collect(const BenchFlags& flags, const bench::BenchFolder& folder) {
  WW_TRY(const auto board, bench::read_board(folder, flags.more));
  std::printf("%s", bench::board_text(board).c_str());
  const std::string json = bench::board_json(board);
  if (!flags.json.empty()) WW_CHECK(write_file(flags.json, json));
  if (!flags.html.empty()) {
    WW_TRY(const auto page, report::bench_page(json, flags.json, SystemClock().unix_ms()));
    WW_CHECK(write_file(flags.html, report::render(page).html));
  }
  const bool good = board.missing.empty() && board.troubles.empty();
  return static_cast<int>(good ? kOk : kBad);
}

Result<int> bench_main(const BenchFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  if (!flags.suite.suite.empty()) {
    SuiteFlags suite = flags.suite;
    suite.kernels = flags.kernels;
    suite.json = flags.json;
    return bench_suite(suite, settings);
  }
  if (!flags.collect.empty()) return collect(flags, bench::BenchFolder(flags.collect));
  if (!settings.text("judge.worker").empty() && !names_a_fleet(settings)) {
    return Error{
        "bench: --worker takes slurm[:OPTIONS] or spool:DIR; for anything else, --prepare"};
  }
  const bool here = flags.prepare.empty();
  const bench::BenchFolder folder(here ? flags.folder : flags.prepare);
  WW_CHECK(make_directories(folder.path()));
  WW_TRY(const auto lock, FileLock::acquire(folder.path() / "lock"));
  if (!lock) return Error{"'" + folder.path().string() + "' is in use by another process"};
  WW_CHECK(prepare(flags, settings, folder));
  if (!here) {
    WW_TRY(const auto jobs, folder.jobs());
    std::printf(
        "%zu jobs in %s. On the machine with the GPU: bench/run_jobs %s; then here:\n"
        "  warpwright bench --collect %s\n",
        jobs.size(), folder.path().c_str(), folder.path().c_str(), folder.path().c_str());
    return static_cast<int>(kOk);
  }
  WW_CHECK(names_a_fleet(settings) ? run_on_fleet(folder, settings) : run_jobs(folder));
  return collect(flags, folder);
}

}  // namespace

void add_bench(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<BenchFlags>();
  verb.add_option("--tasks", flags->tasks, "names or folders, comma-separated [the paper's 20]")
      ->delimiter(',');
  verb.add_option("--kernels", flags->kernels,
                  "folder with TASK.cu or TASK/*.cu: kernels to judge and time");
  verb.add_flag("--extensions", flags->extensions, "also the built-in tasks beyond the paper's");
  verb.add_flag("--quick", flags->quick, "two sizes per task, without the slow baselines");
  verb.add_flag("--no-slow", flags->no_slow, "leave out the slow baselines (B0)");
  verb.add_flag("--validate", flags->validate, "judge the baselines (B1), not only time them");
  verb.add_option(
      "-o,--out", flags->folder,
      "folder of jobs and results; the same command goes on with it [warpwright-bench]");
  verb.add_option("--prepare", flags->prepare, "only write the jobs to this folder");
  verb.add_option("--collect", flags->collect, "only read this folder's results");
  verb.add_option("--results", flags->more,
                  "with --collect: folder with results*.jsonl, comparators*.jsonl, ceilings.json");
  verb.add_option(
          "--suite", flags->suite.suite,
          "folder of task folders, as 'import' writes it: correct share and fast_p per level")
      ->needs("--kernels");
  verb.add_option("--eager", flags->suite.eager,
                  "with --suite: KernelBench's file of PyTorch's times (docs/torch.md)");
  verb.add_option("--compiled", flags->suite.compiled, "the same of torch.compile");
  verb.add_option("--eval-results", flags->suite.out,
                  "with --suite: write FOLDER/LEVEL/eval_results.json as KernelBench does");
  verb.add_option("--json", flags->json, "write everything as JSON (docs/formats.md)");
  verb.add_option("--html", flags->html, "write a page, as 'warpwright report --bench' does");
  flags->settings =
      add_setting_flags(verb, {"judge.device", "judge.target", "judge.front_end", "judge.checks",
                               "judge.limit", "judge.unsafe", "judge.worker"});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = bench_main(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
