// SPDX-License-Identifier: Apache-2.0
#include "data/check.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "base/mix.h"
#include "base/sha256.h"
#include "core/json_reader.h"
#include "core/reward.h"
#include "core/task_json.h"
#include "data/export.h"
#include "data/rows.h"
#include "prompt/extract.h"

namespace warpwright::data {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;
constexpr double kSumsExact = 1e-9;

/// What is kept of a row while the others are read.
struct RowNote {
  std::int64_t at = 0;  ///< place in the file
  std::size_t number = 0;
  std::uint32_t task = 0;
  int oddness = 0;
  double speedup = 0;
};

/// What is kept of a turn, to make the returns and the groups again.
struct TurnNote {
  std::size_t row = 0;
  double score = 0, result = 0, mean = 0, deviation = 0, gamma = 0;
  std::size_t group_size = 0;
  bool best_branch = false;
  std::string group, key, parent;
};

std::string word_in(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_in(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<double>() : 0;
}

class Checker {
 public:
  Checker(const CheckOptions& options, const FindTask& find_task, const Judging* judging)
      : options_(options), find_task_(find_task), judging_(judging) {}

  Result<CheckReport> check(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{"cannot read '" + path.string() + "'"};
    std::string line;
    std::int64_t at = 0;
    while (std::getline(file, line)) {
      const auto size = static_cast<std::int64_t>(line.size());
      if (line.size() > kMaxLineBytes) return Error{"'" + path.string() + "' has a line too long"};
      if (!line.empty()) look(line, at);
      at += size + 1;
    }
    if (report_.rows == 0) problem(0, "the file has no rows");
    check_turns();
    if (judging_ != nullptr) {
      file.clear();
      WW_CHECK(judge_sample(file));
    }
    return report_;
  }

 private:
  void problem(std::size_t row, std::string what) {
    ++report_.problem_count;
    if (report_.problems.size() < kMaxProblems) report_.problems.push_back({row, std::move(what)});
  }

  void look(const std::string& line, std::int64_t at) {
    ++report_.rows;
    const auto wrong = row_problems(line);
    for (const auto& what : wrong) problem(report_.rows, what);
    const Json row = Json::parse(line, nullptr, false);
    if (!row.is_object()) return;
    const std::string kind = word_in(row, "kind");
    ++report_.kinds[kind];
    RowNote note{at, report_.rows, 0, wrong.empty() ? 0 : 3, number_in(row, "speedup")};
    note.task = tasks_.try_emplace(word_in(row, "task"), tasks_.size()).first->second;
    if (contradicts(row)) note.oddness = 4;
    rows_.push_back(note);
    if (kind == "grpo" && wrong.empty()) turns_.push_back(turn_note(row));
  }

  /// Whether an equal program has another verdict in this file.
  bool contradicts(const Json& row) {
    const auto messages = row.find("messages");
    const auto completion = row.find("completion");
    const Json* answer = messages != row.end()     ? &*messages
                         : completion != row.end() ? &*completion
                                                   : nullptr;
    if (answer == nullptr || !answer->is_array() || answer->empty()) return false;
    const Json& last = answer->back();
    if (!last.is_object() || !last.contains("content") || !last["content"].is_string()) {
      return false;
    }
    const auto found =
        prompt::extract_source(last["content"].get_ref<const std::string&>(), "stop");
    if (!found.ok) return false;
    std::string shape = word_in(row, "task") + "\n" + word_in(row, "rule_set") + "\n" +
                        word_in(row, "device") + "\n";
    for (const auto& token : normalised_tokens(found.source)) shape += token + " ";
    const std::string verdict = word_in(row, "verdict");
    const auto [known, is_new] = shapes_.try_emplace(sha256_hex(shape).substr(0, 24), verdict);
    if (is_new || known->second == verdict) return false;
    problem(report_.rows, "an equal program was called '" + known->second + "' before, and is '" +
                              verdict + "' here");
    return true;
  }

  TurnNote turn_note(const Json& row) const {
    const Json& origin = row["origin"];
    const std::string run = word_in(origin, "name") + "\n" + word_in(origin, "run") + "\n";
    TurnNote turn;
    turn.row = report_.rows;
    turn.score = number_in(row, "S");
    turn.result = number_in(row, "return");
    turn.mean = number_in(row, "group_mean");
    turn.deviation = number_in(row, "group_deviation");
    turn.group_size = static_cast<std::size_t>(std::clamp(number_in(row, "group_size"), 0.0, 1e15));
    turn.gamma = number_in(row, "gamma");
    turn.best_branch = word_in(row, "branch") == "best";
    turn.group = word_in(row, "group");
    turn.key = run + word_in(origin, "trial");
    turn.parent = word_in(origin, "parent").empty() ? "" : run + word_in(origin, "parent");
    return turn;
  }

  /// Returns follow from the scores of later turns, groups from the returns. A file that holds a
  /// part of a group alone cannot be checked so.
  void check_turns() {
    std::map<std::string, std::vector<double>> groups;
    for (const auto& turn : turns_) groups[turn.group].push_back(turn.result);
    std::map<std::string, std::int32_t> numbers;
    std::vector<double> scores;
    std::vector<std::int32_t> parents;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const auto parent = numbers.find(turns_[i].parent);
      parents.push_back(parent == numbers.end() ? -1 : parent->second);
      scores.push_back(turns_[i].score);
      numbers[turns_[i].key] = static_cast<std::int32_t>(i);
    }
    if (turns_.empty()) return;
    const auto returns = tree_returns(scores, parents, turns_[0].gamma,
                                      turns_[0].best_branch ? Branch::best : Branch::mean);
    std::map<std::string, RewardGroup> figures;
    for (const auto& [name, values] : groups) figures[name] = group_of(values);
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const TurnNote& turn = turns_[i];
      if (groups[turn.group].size() != turn.group_size) continue;
      if (std::abs(returns[i] - turn.result) > kSumsExact * (1 + std::abs(turn.result))) {
        problem(turn.row, "the return is not what the scores of this and later turns give");
      }
      const RewardGroup& group = figures[turn.group];
      if (std::abs(group.mean - turn.mean) > kSumsExact * (1 + std::abs(turn.mean)) ||
          std::abs(group.deviation - turn.deviation) > kSumsExact * (1 + turn.deviation)) {
        problem(turn.row, "mean or deviation are not those of the group's returns");
      }
    }
  }

  /// Odd rows first, then each task's fastest, then a draw in which tasks take turns.
  std::vector<RowNote> chosen_rows() {
    std::map<std::uint32_t, double> fastest;
    for (const auto& row : rows_) fastest[row.task] = std::max(fastest[row.task], row.speedup);
    for (auto& row : rows_) {
      if (row.speedup > 0 && row.speedup == fastest[row.task]) {
        row.oddness = std::max(row.oddness, 1);
      }
    }
    std::vector<std::pair<std::uint64_t, RowNote>> drawn;
    for (const auto& row : rows_) {
      drawn.emplace_back(mixed_bits(options_.seed * kMixStep + row.number), row);
    }
    std::sort(drawn.begin(), drawn.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::map<std::uint32_t, std::uint64_t> turn;
    for (auto& [order, row] : drawn) order = turn[row.task]++;
    std::stable_sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
      if (a.second.oddness != b.second.oddness) return a.second.oddness > b.second.oddness;
      return a.first < b.first;
    });
    std::vector<RowNote> chosen;
    for (const auto& [order, row] : drawn) {
      if (options_.all || chosen.size() < options_.sample) chosen.push_back(row);
    }
    return chosen;
  }

  struct Claim {
    std::size_t row = 0;
    std::string what;  ///< "row" or "the rejected one"
    JudgeWish wish;
    Evaluation stated;
  };

  void claim(const Json& row, const Json& judgement, const Json& messages, const char* what,
             std::size_t number, std::vector<Claim>& claims) {
    if (!judgement.is_object() || !messages.is_array() || messages.empty()) return;
    const Evaluation stated = evaluation_of_fields(judgement);
    if (stated.verdict == Verdict::no_code || stated.verdict == Verdict::harness_error) return;
    const Json& last = messages.back();
    if (!last.is_object()) return;
    const auto found = prompt::extract_source(word_in(last, "content"), "stop");
    const auto task = find_task_(word_in(row, "task"));
    if (!found.ok || task == nullptr ||
        sha256_hex(task_to_json(*task)) != word_in(row, "task_sha256")) {
      ++report_.undecided;
      return;
    }
    claims.push_back({number, what, {task, found.source, word_in(row, "rule_set")}, stated});
  }

  Status judge_sample(std::ifstream& file) {
    const auto chosen = chosen_rows();
    constexpr std::size_t kBatch = 256;  // sources in memory at a time
    for (std::size_t from = 0; from < chosen.size(); from += kBatch) {
      std::vector<Claim> claims;
      for (std::size_t i = from; i < std::min(from + kBatch, chosen.size()); ++i) {
        file.seekg(chosen[i].at);
        std::string line;
        std::getline(file, line);
        const Json row = Json::parse(line, nullptr, false);
        const std::string kind = word_in(row, "kind");
        const char* answer = kind == "sft" ? "messages" : kind == "grpo" ? "completion" : "chosen";
        claim(row, row, row.value(answer, Json()), "it", chosen[i].number, claims);
        if (kind != "preference") continue;
        claim(row, row.value("rejected_judgement", Json()), row.value("rejected", Json()),
              "the rejected one", chosen[i].number, claims);
      }
      WW_CHECK(judge_claims(claims));
    }
    return {};
  }

  Status judge_claims(const std::vector<Claim>& claims) {
    JudgePool pool(*judging_);
    for (const auto& claim : claims) WW_CHECK(pool.add(claim.wish));
    WW_CHECK(pool.finish());
    for (const auto& claim : claims) {
      WW_TRY(const auto found, known_verdict(*judging_, claim.wish));
      ++report_.judged;
      compare(claim, found.value_or(Evaluation{}));
    }
    return {};
  }

  void compare(const Claim& claim, const Evaluation& now) {
    const bool same_device = claim.stated.device == now.device || claim.stated.device.empty();
    const auto open = [&](Verdict verdict) {
      return verdict == Verdict::harness_error || verdict == Verdict::unchecked ||
             (!same_device && (verdict == Verdict::timeout || verdict == Verdict::launch_error));
    };
    if (open(now.verdict) || open(claim.stated.verdict)) {
      ++report_.undecided;
      return;
    }
    if (claim.stated.valid() != now.valid()) {
      problem(claim.row,
              fmt::format("mislabelled: {} is called '{}', and is '{}' here: {}", claim.what,
                          name_of(claim.stated.verdict), name_of(now.verdict), now.reason));
      return;
    }
    const double ratio = same_device && now.valid() ? time_ratio(claim.stated, now) : 1;
    if (ratio > 1 + options_.tolerance || ratio < 1 / (1 + options_.tolerance)) {
      problem(claim.row, fmt::format("mislabelled: {} takes {:.2f} times what the row says on the "
                                     "same device",
                                     claim.what, ratio));
      return;
    }
    ++report_.agreed;
  }

  /// Over the sizes that both have.
  static double time_ratio(const Evaluation& stated, const Evaluation& now) {
    double sum = 0, count = 0;
    for (const auto& a : stated.measurements) {
      for (const auto& b : now.measurements) {
        if (a.size != b.size || call_us(a) <= 0 || call_us(b) <= 0) continue;
        sum += std::log(call_us(b) / call_us(a));
        ++count;
      }
    }
    return count > 0 ? std::exp(sum / count) : 1;
  }

  CheckOptions options_;
  const FindTask& find_task_;
  const Judging* judging_;
  CheckReport report_;
  std::vector<RowNote> rows_;
  std::vector<TurnNote> turns_;
  std::map<std::string, std::uint32_t> tasks_;
  std::map<std::string, std::string> shapes_;  ///< a program's shape -> verdict
};

}  // namespace

Result<CheckReport> check_file(const std::filesystem::path& file, const CheckOptions& options,
                               const FindTask& find_task, const Judging* judging) {
  return Checker(options, find_task, judging).check(file);
}

std::string report_json(const CheckReport& report) {
  Json document = {{"format", 1},
                   {"rows", report.rows},
                   {"kinds", report.kinds},
                   {"judged", report.judged},
                   {"agreed", report.agreed},
                   {"undecided", report.undecided},
                   {"problem_count", report.problem_count},
                   {"problems", Json::array()}};
  for (const auto& problem : report.problems) {
    document["problems"].push_back({{"row", problem.row}, {"problem", problem.what}});
  }
  return dump_json(document, 1) + "\n";
}

std::string report_text(const CheckReport& report) {
  std::string text;
  for (const auto& problem : report.problems) {
    text += fmt::format("row {}: {}\n", problem.row, problem.what);
  }
  if (report.problem_count > report.problems.size()) {
    text += fmt::format("... and {} more\n", report.problem_count - report.problems.size());
  }
  return text + fmt::format(
                    "{} rows, {} problems; {} sources judged again, {} as the rows say, {} "
                    "undecided\n",
                    report.rows, report.problem_count, report.judged, report.agreed,
                    report.undecided);
}

}  // namespace warpwright::data
