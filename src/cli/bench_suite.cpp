// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/swept_folder.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "exchange/kernelbench_results.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = std::size_t{16} << 20;

std::vector<fs::path> folders_of(const std::string& suite) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(suite, code))
    if (fs::exists(entry.path() / "task.toml", code)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<std::map<std::string, double>> times_of(const std::string& file) {
  if (file.empty()) return std::map<std::string, double>{};
  WW_TRY(const auto text, read_file(file, kMostText));
  auto times = exchange::baseline_times(text);
  if (!times.ok()) return Error{file + ": " + times.error().message};
  return times;
}

Status judge_row(const fs::path& folder, const std::string& source, const Settings& settings,
                 const StopSignal& stop, exchange::SuiteRow& row) {
  WW_TRY(Task loaded, suite::load_task_folder(folder));
  WW_TRY(const Task task, with_counted_costs(std::move(loaded)));
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const SweptFolder jobs, SweptFolder::create("warpwright-suite-"));
  WW_TRY(const auto evaluator, make_evaluator(settings, {.jobs = jobs.path(), .pattern = pattern}));
  WW_TRY(const Evaluation evaluation,
         judge_source(*evaluator, "candidate", source, stop, BaselineJudge()));
  exchange::add_judgement(evaluation, row);
  return {};
}

Status write_results(const SuiteFlags& flags, const std::vector<exchange::SuiteRow>& rows) {
  if (!flags.json.empty()) WW_CHECK(write_file(flags.json, exchange::suite_json(rows)));
  if (flags.out.empty()) return {};
  std::set<std::string> levels;
  for (const auto& row : rows) levels.insert(row.level);
  for (const std::string& level : levels) {
    const fs::path folder = fs::path(flags.out) / level;
    WW_CHECK(make_directories(folder));
    WW_CHECK(write_file(folder / "eval_results.json", exchange::eval_results(rows, level)));
  }
  return {};
}

}  // namespace

Result<int> bench_suite(const SuiteFlags& flags, const Settings& settings) {
  const auto folders = folders_of(flags.suite);
  if (folders.empty())
    return Error{fmt::format("'{}' has no task folders (FOLDER/TASK/task.toml)", flags.suite)};
  WW_TRY(const auto eager, times_of(flags.eager));
  WW_TRY(const auto compiled, times_of(flags.compiled));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  std::vector<exchange::SuiteRow> rows;
  bool good = true;
  for (const fs::path& folder : folders) {
    if (stop.requested()) return Error{"interrupted"};
    exchange::SuiteRow row = exchange::suite_row(folder.filename().string());
    const std::string key = row.level + " " + row.problem;
    if (const auto found = eager.find(key); found != eager.end()) row.eager_ms = found->second;
    if (const auto found = compiled.find(key); found != compiled.end())
      row.compiled_ms = found->second;
    std::error_code code;
    const fs::path kernel = fs::path(flags.kernels) / (row.task + ".cu");
    if (fs::exists(kernel, code)) {
      WW_TRY(const auto source, read_file(kernel, kMostText));
      if (const auto done = judge_row(folder, source, settings, stop, row); !done.ok()) {
        row.judged = true;
        row.verdict = Verdict::harness_error;
        row.reason = done.error().message;
      }
    }
    good = good && row.judged && row.verdict == Verdict::ok;
    std::fprintf(stderr, "%-40s %s %s\n", row.task.c_str(),
                 row.judged ? std::string(name_of(row.verdict)).c_str() : "no kernel",
                 row.reason.c_str());
    rows.push_back(std::move(row));
    WW_CHECK(write_results(flags, rows));
  }
  std::printf("%s", exchange::suite_text(rows).c_str());
  return static_cast<int>(good ? kOk : kBad);
}

}  // namespace warpwright::cli
