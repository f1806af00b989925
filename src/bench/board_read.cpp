// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "bench/board_parts.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"

namespace warpwright::bench {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

Runner runner_of(KernelKind kind) {
  if (kind == KernelKind::slow) return Runner::slow;
  return kind == KernelKind::baseline ? Runner::baseline : Runner::kernel;
}

Runner comparator_runner(std::string_view name) {
  if (name == "torch.eager" || name.starts_with("torch.eager.")) return Runner::eager;
  if (name == "torch.compile" || name.starts_with("torch.compile.")) return Runner::compiled;
  return Runner::library;
}

/// Files of a folder whose names begin and end like this, sorted.
std::vector<fs::path> files_like(const fs::path& folder, std::string_view begin,
                                 std::string_view end) {
  std::vector<fs::path> files;
  std::error_code error;
  if (folder.empty()) return files;
  fs::directory_iterator entries(folder, error), last;
  for (; !error && entries != last; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) files.push_back(entries->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Each line's object; a last line that was cut off by a kill is dropped.
Result<std::vector<json>> json_lines(const fs::path& file) {
  WW_TRY(const std::string text, read_file(file));
  std::vector<json> objects;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    auto parsed = parse_json(lines[i], fmt::format("{}:{}", file.string(), i + 1));
    if (!parsed.ok() && i + 1 == lines.size()) break;
    if (!parsed.ok()) return parsed.error();
    objects.push_back(std::move(parsed).value());
  }
  return objects;
}

/// Results that came back as lines of one file, by job.
Result<std::map<std::string, Evaluation>> carried_results(const std::vector<fs::path>& folders) {
  std::map<std::string, Evaluation> results;
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_like(folder, "results", ".jsonl")) {
      WW_TRY(const auto objects, json_lines(file));
      for (const json& object : objects) {
        JsonReader in(object, file.string());
        const std::string job = in.text("job");
        WW_CHECK(in.status());
        if (!in.has("result")) continue;  // the worker left none
        const json& result = in.object("result");
        WW_CHECK(in.status());
        auto evaluation = evaluation_from_json(dump_json(result));
        if (!evaluation.ok()) return Error{file.string() + ": " + evaluation.error().message};
        results[job] = std::move(evaluation).value();
      }
    }
  }
  return results;
}

Row& row_of(Board& board, const Task& task, const TaskSize& size) {
  for (Row& row : board.rows) {
    if (row.task == task.name && row.size == size.label) return row;
  }
  Row& row = board.rows.emplace_back();
  row.task = task.name;
  row.size = size.label;
  return row;
}

void add_evaluation(Board& board, const BenchJob& job, const evaluate::JobRequest& request,
                    const Evaluation& evaluation) {
  const Task& task = request.task;
  const bool other_rules =
      job.kind == KernelKind::given && request.rule_set == "free" && task.rule_set != "free";
  if (board.device.empty() && !evaluation.device.empty()) board.device = evaluation.device;
  if (!evaluation.valid()) {
    board.troubles.push_back({job.job, std::string(name_of(evaluation.verdict)), evaluation.reason,
                              job.task, job.kernel});
  }
  // A candidate that fails at one size has no times: what it computes is not the task.
  if (!evaluation.valid() && job.kind == KernelKind::given) return;
  for (const Measurement& m : evaluation.measurements) {
    const TaskSize* size = size_labelled(task, m.size);
    if (size == nullptr) continue;
    row_of(board, task, *size)
        .times.push_back({.runner = runner_of(job.kind),
                          .name = job.kernel,
                          .apart = other_rules ? std::string(request.rule_set.name()) : "",
                          .source = m.source,
                          .median_us = m.median_us,
                          .low_us = m.low_us,
                          .high_us = m.high_us,
                          .samples = m.samples});
  }
}

Status add_comparators(Board& board, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_like(folder, "comparators", ".jsonl")) {
      WW_TRY(const auto objects, json_lines(file));
      for (const json& object : objects) {
        JsonReader in(object, file.string());
        Timed timed{.name = in.text("comparator")};
        timed.runner = comparator_runner(timed.name);
        const std::string task = in.text("task"), size = in.text("size");
        timed.median_us = in.number("median_us");
        timed.low_us = in.number("low_us");
        timed.high_us = in.number("high_us");
        timed.samples = in.small_integer("samples");
        if (in.has("note")) timed.note = in.text("note");
        for (const char* key : {"lane", "apart"}) {  // older files say "lane"
          if (in.has(key)) timed.apart = in.text(key);
        }
        WW_CHECK(in.status());
        for (Row& row : board.rows) {
          if (row.task == task && row.size == size) row.times.push_back(timed);
        }
      }
    }
  }
  return {};
}

/// The described device that the results name, else the one they were estimated or meant for.
DeviceFacts facts_for(const std::string& description, const std::string& target) {
  const DeviceFacts* longest = nullptr;
  for (const DeviceFacts& known : known_devices()) {
    if (description.find(known.name) == std::string::npos) continue;
    if (longest == nullptr || known.name.size() > longest->name.size()) longest = &known;
  }
  if (longest != nullptr) return *longest;
  return known_device(target).value_or(DeviceFacts{});
}

Status read_ceilings(Board& board, const std::vector<fs::path>& folders) {
  board.ceilings = {.memory_gb_per_s = board.facts.memory_gb_per_s,
                    .fp32_tflops = board.facts.fp32_tflops,
                    .source = "data sheet"};
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_like(folder, "ceilings", ".json")) {
      WW_TRY(const std::string text, read_file(file));
      WW_TRY(const json document, parse_json(text, file.string()));
      JsonReader in(document, file.string());
      board.ceilings = {.memory_gb_per_s = in.number("memory_gb_per_s"),
                        .fp32_tflops = in.number("fp32_tflops"),
                        .launch_us = in.has("launch_us") ? in.number("launch_us") : 0,
                        .source = "measured"};
      WW_CHECK(in.status());
    }
  }
  return {};
}

Status place_under_roof(Board& board, const std::map<std::string, Task>& tasks) {
  DeviceFacts facts = board.facts;
  facts.memory_gb_per_s = board.ceilings.memory_gb_per_s;
  facts.fp32_tflops = board.ceilings.fp32_tflops;
  for (Row& row : board.rows) {
    const Task& task = tasks.at(row.task);
    const TaskSize* size = size_labelled(task, row.size);
    WW_TRY(row.bytes, least_bytes(task, *size));
    WW_TRY(row.flops, flops(task, *size));
    WW_TRY(row.roof, profile::roofline(task, *size, facts));
  }
  return {};
}

}  // namespace

Result<Board> read_board(const BenchFolder& folder, const fs::path& more) {
  const std::vector<fs::path> folders = {folder.path(), folder.path() / "comparators", more};
  WW_TRY(const auto jobs, folder.jobs());
  WW_TRY(const auto carried, carried_results(folders));
  Board board;
  board.jobs = static_cast<int>(jobs.size());
  std::map<std::string, Task> tasks;
  std::string target;
  for (const BenchJob& job : jobs) {
    WW_TRY(const auto request, folder.job(job).read_request());
    target = request.target;
    const Task& task = tasks.emplace(job.task, request.task).first->second;
    for (const TaskSize& size : task.sizes) {
      const auto& asked = request.sizes;
      const bool wanted =
          asked.empty() || std::find(asked.begin(), asked.end(), size.label) != asked.end();
      if (wanted) row_of(board, task, size);
    }
    const auto found = carried.find(job.job);
    if (!folder.to_do(job)) {
      WW_TRY(const auto evaluation, folder.job(job).read_result());
      add_evaluation(board, job, request, evaluation);
    } else if (found != carried.end()) {
      add_evaluation(board, job, request, found->second);
    } else {
      board.missing.push_back(job.job);
    }
  }
  WW_CHECK(add_comparators(board, folders));
  board.facts = facts_for(board.device, target);
  WW_CHECK(read_ceilings(board, folders));
  WW_CHECK(place_under_roof(board, tasks));
  choose_best_kernels(board);
  board.means = means_of(board);
  return board;
}

}  // namespace warpwright::bench
