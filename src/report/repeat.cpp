// SPDX-License-Identifier: Apache-2.0
#include "report/repeat.h"

#include <string_view>

namespace warpwright::report {

namespace {

constexpr std::string_view kFlagOrigin = "flag ";

bool is_default(const store::ConfigValue& value) { return value.origin == "default"; }

/// The flag a value was or can be given with. Origins read "flag --depth" or "resume, flag -d".
std::string flag_of(const store::ConfigValue& value) {
  const auto at = value.origin.rfind(kFlagOrigin);
  if (at == std::string::npos) return "";
  return value.origin.substr(at + kFlagOrigin.size());
}

std::string spelled(const store::ConfigValue& value) {
  const std::string flag = flag_of(value);
  if (value.value == "true") return " " + flag;
  return " " + flag + " " + shell_quoted(value.value);
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::vector<Repetition> ways_to_repeat(const store::RunRecord& run,
                                       const std::vector<store::ConfigValue>& config) {
  std::string search;
  std::string judge;
  std::string same_answers;
  for (const auto& value : config) {
    if (is_default(value) || flag_of(value).empty()) continue;
    search += spelled(value);
    if (value.key.starts_with("judge.")) judge += spelled(value);
    if (!value.key.starts_with("model.")) same_answers += spelled(value);
  }
  const std::string task = shell_quoted(run.task);
  const std::string id = shell_quoted(run.id);
  std::vector<Repetition> ways = {
      {"The search again, with new answers", "warpwright run " + task + search},
      {"The same answers, judged again", "warpwright export " + id +
                                             " --recording -o recording && warpwright run " + task +
                                             " --model replay:recording" + same_answers}};
  if (!run.best_trial.empty()) {
    ways.push_back({"The best kernel, judged again", "warpwright show " + id +
                                                         " best > best.cu && warpwright eval " +
                                                         task + " best.cu" + judge});
    ways.push_back({"The best kernel with header, test and provenance",
                    "warpwright export " + id + " -o kernel"});
  }
  return ways;
}

}  // namespace warpwright::report
