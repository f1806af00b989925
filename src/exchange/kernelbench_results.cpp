// SPDX-License-Identifier: Apache-2.0
#include "exchange/kernelbench_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include "core/json_reader.h"

namespace warpwright::exchange {

namespace {

using ResultJson = nlohmann::ordered_json;

std::string digits_at(std::string_view text, std::size_t from) {
  std::string digits;
  while (from < text.size() && std::isdigit(static_cast<unsigned char>(text[from])) != 0)
    digits += text[from++];
  return digits;
}

bool correct(const SuiteRow& row) { return row.judged && row.verdict == Verdict::ok; }

/// Share of all problems that are right and more than p times as fast as the others' time.
double fast(const std::vector<SuiteRow>& rows, double p, double SuiteRow::*other) {
  double count = 0;
  for (const SuiteRow& row : rows) {
    if (!correct(row)) continue;
    const bool faster = row.time_ms > 0 && row.*other > p * row.time_ms;
    count += p == 0 || faster ? 1 : 0;
  }
  return rows.empty() ? 0 : count / static_cast<double>(rows.size());
}

/// Geometric mean of the speed-ups of what is right; 0 where no time is known.
double mean_speedup(const std::vector<SuiteRow>& rows, double SuiteRow::*other) {
  double sum = 0;
  double count = 0;
  for (const SuiteRow& row : rows) {
    if (!correct(row) || row.time_ms <= 0 || row.*other <= 0) continue;
    sum += std::log(row.*other / row.time_ms);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

std::map<std::string, std::vector<SuiteRow>> by_level(const std::vector<SuiteRow>& rows) {
  std::map<std::string, std::vector<SuiteRow>> levels;
  for (const SuiteRow& row : rows) levels[row.level].push_back(row);
  return levels;
}

ResultJson level_json(const std::vector<SuiteRow>& rows) {
  const auto right = std::count_if(rows.begin(), rows.end(), correct);
  ResultJson json = {{"problems", rows.size()},
                     {"correct", static_cast<double>(right) / static_cast<double>(rows.size())}};
  for (const auto& [name, other] :
       {std::pair{"eager", &SuiteRow::eager_ms}, std::pair{"compiled", &SuiteRow::compiled_ms}}) {
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [other = other](const auto& r) { return r.*other > 0; });
    if (!known) continue;
    json[name] = {{"fast_0", fast(rows, 0, other)},
                  {"fast_1", fast(rows, 1, other)},
                  {"fast_2", fast(rows, 2, other)},
                  {"speedup", mean_speedup(rows, other)}};
  }
  return json;
}

}  // namespace

SuiteRow suite_row(const std::string& task) {
  SuiteRow row{.task = task, .level = "suite", .problem = task};
  std::size_t at = 0;
  if (task.starts_with("level")) {
    const std::string number = digits_at(task, 5);
    if (number.empty()) return row;
    row.level = "level" + number;
    at = row.level.size() + 1;
  } else if (task.starts_with("t_")) {
    at = 2;
  }
  const std::string problem = digits_at(task, at);
  if (!problem.empty()) row.problem = problem;
  return row;
}

void add_judgement(const Evaluation& evaluation, SuiteRow& row) {
  row.judged = true;
  row.verdict = evaluation.verdict;
  row.reason = evaluation.reason;
  if (const auto us = score_us(evaluation)) row.time_ms = *us / 1e3;
  for (const Measurement& m : evaluation.measurements)
    row.estimated = row.estimated || m.source == TimeSource::estimated;
}

Result<std::map<std::string, double>> baseline_times(std::string_view text) {
  const auto json = parse_json_or_discard(text);
  if (!json.is_object()) return Error{"baseline times are a JSON object: {\"level1\": {...}}"};
  std::map<std::string, double> times;
  for (const auto& [level, files] : json.items()) {
    if (!files.is_object()) continue;
    for (const auto& [file, entry] : files.items()) {
      if (!entry.is_object() || !entry.contains("mean") || !entry["mean"].is_number()) continue;
      times[level + " " + digits_at(file, 0)] = entry["mean"].get<double>();
    }
  }
  if (times.empty())
    return Error{"there are no baseline times: {\"level1\": {\"1_X.py\": {\"mean\": ms}}}"};
  return times;
}

std::string suite_text(const std::vector<SuiteRow>& rows) {
  std::string text;
  for (const auto& [level, members] : by_level(rows)) {
    const auto json = level_json(members);
    text += fmt::format("{}: {} problems, {:.1f} % correct", level, members.size(),
                        100 * json["correct"].get<double>());
    for (const char* other : {"eager", "compiled"}) {
      if (!json.contains(other)) continue;
      const auto& part = json[other];
      text +=
          fmt::format("; against {}: fast_0 {:.3f}, fast_1 {:.3f}, fast_2 {:.3f}, speed-up {:.3g}",
                      other, part["fast_0"].get<double>(), part["fast_1"].get<double>(),
                      part["fast_2"].get<double>(), part["speedup"].get<double>());
    }
    text += "\n";
  }
  const bool estimated =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.estimated; });
  if (estimated)
    text += "Times are estimates of the SIMT machine: shares of speed say nothing then.\n";
  return text;
}

std::string suite_json(const std::vector<SuiteRow>& rows) {
  ResultJson json = {
      {"format", 1}, {"levels", ResultJson::object()}, {"rows", ResultJson::array()}};
  for (const auto& [level, members] : by_level(rows)) json["levels"][level] = level_json(members);
  for (const SuiteRow& row : rows)
    json["rows"].push_back({{"task", row.task},
                            {"level", row.level},
                            {"problem", row.problem},
                            {"verdict", row.judged ? name_of(row.verdict) : "missing"},
                            {"reason", row.reason},
                            {"estimated", row.estimated},
                            {"time_ms", row.time_ms},
                            {"eager_ms", row.eager_ms},
                            {"compiled_ms", row.compiled_ms}});
  return dump_json(json, 1) + "\n";
}

std::string eval_results(const std::vector<SuiteRow>& rows, const std::string& level) {
  ResultJson json = ResultJson::object();
  for (const SuiteRow& row : rows) {
    if (row.level != level || !row.judged) continue;
    const bool built = row.verdict != Verdict::compile_error && row.verdict != Verdict::no_code;
    json[row.problem] = ResultJson::array();
    json[row.problem].push_back(
        {{"sample_id", 0},
         {"compiled", built},
         {"correctness", correct(row)},
         {"metadata", {{"warpwright", name_of(row.verdict)}, {"reason", row.reason}}},
         {"runtime", correct(row) && row.time_ms > 0 ? row.time_ms : -1.0},
         {"runtime_stats", ResultJson::object()}});
    if (correct(row))
      json[row.problem][0]["runtime_stats"] = {{"mean", row.time_ms}, {"num_trials", 1}};
  }
  return dump_json(json, 4) + "\n";
}

}  // namespace warpwright::exchange
