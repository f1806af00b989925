// SPDX-License-Identifier: Apache-2.0
// What can be said of one row without any other.
#include <algorithm>
#include <cmath>

#include "base/sha256.h"
#include "core/json_reader.h"
#include "core/reward.h"
#include "data/check.h"
#include "data/rows.h"
#include "prompt/extract.h"

namespace warpwright::data {

namespace {

using Json = nlohmann::json;
using Problems = std::vector<std::string>;

constexpr double kExact = 1e-12;
constexpr double kPrinted = 1e-9;

bool same_number(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(a));
}

void want_text(const Json& row, const char* key, Problems& problems, bool may_be_empty = false) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_string()) {
    problems.push_back(std::string("field '") + key + "' is missing or no text");
  } else if (!may_be_empty && found->get_ref<const std::string&>().empty()) {
    problems.push_back(std::string("field '") + key + "' is empty");
  }
}

double want_number(const Json& row, const char* key, Problems& problems) {
  const auto found = row.find(key);
  if (found != row.end() && found->is_number() && std::isfinite(found->get<double>())) {
    return found->get<double>();
  }
  problems.push_back(std::string("field '") + key + "' is missing or no number");
  return 0;
}

bool is_sha256(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void check_interval(const Json& time, Problems& problems) {
  Problems missing;
  const double low = want_number(time, "low_us", missing);
  const double median = want_number(time, "median_us", missing);
  const double high = want_number(time, "high_us", missing);
  if (!missing.empty()) {
    problems.emplace_back("a time has no median_us, low_us or high_us");
  } else if (median <= 0 || low > median || median > high) {
    problems.emplace_back("a time lies outside its interval");
  }
}

/// Verdict, times, speed-up, device, versions and seeds, of a row or of the rejected half of one.
void check_judgement(const Json& fields, Problems& problems) {
  want_text(fields, "device", problems, true);
  const auto verdict = fields.find("verdict");
  if (verdict == fields.end() || !verdict->is_string() ||
      !verdict_named(verdict->get_ref<const std::string&>())) {
    problems.emplace_back("field 'verdict' is no verdict");
    return;
  }
  for (const char* key : {"times", "seeds"}) {
    if (!fields.contains(key) || !fields[key].is_array()) {
      problems.push_back(std::string("field '") + key + "' is no list");
      return;
    }
  }
  if (!fields.contains("versions") || !fields["versions"].is_object() ||
      !fields["versions"].contains("warpwright")) {
    problems.emplace_back("field 'versions' does not name warpwright's");
  }
  for (const Json& time : fields["times"]) check_interval(time, problems);
  if (!is_sha256(fields.value("sha256", Json()))) problems.emplace_back("field 'sha256' is none");
  const Evaluation evaluation = evaluation_of_fields(fields);
  if (evaluation.valid() && evaluation.measurements.empty()) {
    problems.emplace_back("the verdict is ok, and there are no times");
  }
  const auto gain = evaluation.valid() ? speedup(evaluation) : std::nullopt;
  const Json stated = fields.value("speedup", Json());
  if (gain.has_value() != stated.is_number() ||
      (gain && !same_number(*gain, stated.get<double>(), kPrinted))) {
    problems.emplace_back("the speed-up is not what the times give");
  }
}

/// The text of the one message of an answer; none where it is malformed.
std::optional<std::string> answer_of(const Json& messages) {
  if (!messages.is_array() || messages.empty()) return std::nullopt;
  const Json& last = messages.back();
  if (!last.is_object() || last.value("role", Json()) != "assistant") return std::nullopt;
  const auto content = last.find("content");
  if (content == last.end() || !content->is_string()) return std::nullopt;
  return content->get<std::string>();
}

void check_answer(const Json& messages, const Json& judgement, const char* field,
                  Problems& problems) {
  const auto answer = answer_of(messages);
  if (!answer) {
    problems.push_back(std::string("'") + field + "' does not end with an answer");
    return;
  }
  if (judgement.value("verdict", Json()) == "no_code") return;
  const auto found = prompt::extract_source(*answer, "stop");
  if (sha256_hex(found.ok ? found.source : "") != judgement.value("sha256", Json())) {
    problems.push_back(std::string("the code in '") + field + "' is not the one of 'sha256'");
  }
}

RewardRule rule_of(const Json& row, Problems& problems) {
  RewardRule rule;
  rule.correct_bonus = want_number(row, "bonus", problems);
  rule.gamma = want_number(row, "gamma", problems);
  const Json clip = row.value("clip", Json());
  rule.clip_at_floor = clip != "none";
  if (clip.is_number()) rule.largest_speedup = clip.get<double>();
  if (!clip.is_number() && clip != "none" && clip != "roofline") {
    problems.emplace_back("field 'clip' is neither roofline, nor none, nor a number");
  }
  return rule;
}

void check_grpo(const Json& row, Problems& problems) {
  check_answer(row.value("completion", Json()), row, "completion", problems);
  const RewardRule rule = rule_of(row, problems);
  const double score = want_number(row, "S", problems);
  const double result = want_number(row, "return", problems);
  const RewardGroup group = {want_number(row, "group_mean", problems),
                             want_number(row, "group_deviation", problems)};
  const double advantage = want_number(row, "advantage", problems);
  if (want_number(row, "turn", problems) < 1) problems.emplace_back("field 'turn' is below 1");
  want_text(row, "group", problems);
  if (!problems.empty()) return;
  if (!same_number(turn_score(evaluation_of_fields(row), rule), score, kExact)) {
    problems.emplace_back("S is not what the verdict and the times give");
  }
  if (!same_number(advantage_of(result, group), advantage, kExact)) {
    problems.emplace_back("the advantage is not (return - mean) / deviation");
  }
}

double end_of_interval(const Json& fields, double Measurement::*end) {
  double sum = 0;
  const Evaluation evaluation = evaluation_of_fields(fields);
  for (const auto& m : evaluation.measurements) sum += std::log(m.*end + m.host_excess_us);
  return std::exp(sum / static_cast<double>(evaluation.measurements.size()));
}

void check_preference(const Json& row, Problems& problems) {
  const Json other = row.value("rejected_judgement", Json());
  if (!other.is_object()) {
    problems.emplace_back("field 'rejected_judgement' is missing");
    return;
  }
  check_judgement(other, problems);
  check_answer(row.value("chosen", Json()), row, "chosen", problems);
  check_answer(row.value("rejected", Json()), other, "rejected", problems);
  want_number(row, "margin", problems);
  if (row.value("verdict", Json()) != "ok") problems.emplace_back("the chosen one is not ok");
  if (!problems.empty()) return;
  const bool other_ok = other["verdict"] == "ok";
  if (row.value("reason", Json()) == "right") {
    if (other_ok) problems.emplace_back("the rejected one is ok, and the reason is 'right'");
    return;
  }
  if (row.value("reason", Json()) != "faster" || !other_ok) {
    problems.emplace_back("the reason is neither 'right' nor 'faster' of two that are ok");
    return;
  }
  const double ahead =
      end_of_interval(other, &Measurement::low_us) / end_of_interval(row, &Measurement::high_us) -
      1;
  if (!(ahead > 0)) problems.emplace_back("the chosen one is not faster beyond the intervals");
  if (!same_number(ahead, row["margin"].get<double>(), kPrinted)) {
    problems.emplace_back("the margin is not what the intervals give");
  }
}

void check_common(const Json& row, Problems& problems) {
  for (const char* key : {"task", "type", "commit", "licence"}) {
    want_text(row, key, problems, std::string_view(key) == "commit");
  }
  for (const char* key : {"rule_set", "model", "task_sha256"}) {
    want_text(row, key, problems, true);
  }
  if (!row.contains("origin") || !row["origin"].is_object()) {
    problems.emplace_back("field 'origin' is missing");
  }
  check_judgement(row, problems);
}

}  // namespace

std::vector<std::string> row_problems(std::string_view line) {
  const Json row = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!row.is_object()) return {"not a JSON object"};
  if (row.value("format", Json()) != 1) return {"field 'format' is not 1"};
  const Json kind = row.value("kind", Json());
  if (kind != "sft" && kind != "preference" && kind != "grpo") {
    return {"field 'kind' is none of sft, preference, grpo"};
  }
  Problems problems;
  if (row.value("row_sha256", Json()) != seal_of(row)) {
    problems.emplace_back("row_sha256 is not the row's: it was changed after it was written");
  }
  check_common(row, problems);
  if (kind == "grpo") check_grpo(row, problems);
  if (kind == "preference") check_preference(row, problems);
  if (kind == "sft") {
    check_answer(row.value("messages", Json()), row, "messages", problems);
    if (row.value("verdict", Json()) != "ok") problems.emplace_back("a chat to learn is not ok");
  }
  return problems;
}

}  // namespace warpwright::data
