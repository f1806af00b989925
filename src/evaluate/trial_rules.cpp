// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "build/device_rules.h"
#include "evaluate/trial_feedback.h"

namespace warpwright::evaluate {

namespace {

Next forbid(TrialState& state, const build::LintFinding& broken) {
  state.evaluation.diagnostics.insert(state.evaluation.diagnostics.begin(),
                                      {"error", broken.line, 0, broken.message});
  return end_with(state, Verdict::forbidden, broken.message + " (rule " + broken.rule + ")",
                  at_line(broken.line, broken.message, state.request.source));
}

build::DeviceRules rules_of(const TrialState& state) {
  return build::device_rules(state.request.task, state.request.lane);
}

void add_census(TrialState& state) {
  const build::BuildOutcome& built = state.candidate.built;
  std::string text = build::describe(built.census);
  if (text.empty()) return;
  if (!built.sass.empty()) text += "; in machine code: " + build::describe(built.sass);
  state.evaluation.findings.push_back(
      {"instructions", built.census.front().line, "the device code has " + text});
}

/// How many pairs are out of order.
std::uint64_t inversions(std::vector<float> values) {
  std::vector<float> sorted(values.size());
  std::uint64_t count = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t low = 0; low < values.size(); low += 2 * width) {
      const std::size_t middle = std::min(low + width, values.size());
      const std::size_t high = std::min(low + 2 * width, values.size());
      std::size_t a = low, b = middle;
      for (std::size_t to = low; to < high; ++to) {
        const bool right = a == middle || (b < high && values[b] < values[a]);
        if (right) count += middle - a;
        sorted[to] = right ? values[b++] : values[a++];
      }
    }
    values.swap(sorted);
  }
  return count;
}

std::uint64_t inversions_of(const Task& task, const LoadedCase& loaded) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (argument.role != ArgumentRole::inout || argument.type != ElementType::f32) continue;
    std::vector<float> values(loaded.inputs[i].size() / sizeof(float));
    std::memcpy(values.data(), loaded.inputs[i].data(), values.size() * sizeof(float));
    return inversions(std::move(values));
  }
  return 0;
}

/// A GPU does not count instructions: the same call on the SIMT machine. Nothing when that cannot
/// run it to its end: then it did more than enough, or nobody can tell.
std::optional<std::uint64_t> counted_instructions(TrialState& state, const LoadedCase& loaded) {
  constexpr double kLimitSeconds = 4;
  device::ResolvedDevice simt{.choice = {.device = "simt", .target = "", .checks = "off"},
                              .is_cuda = false,
                              .facts = state.target.facts};
  auto machine = device::open_device(simt, 0);
  if (!machine.ok()) return std::nullopt;
  Program program{.source = state.candidate.source,
                  .built = state.candidate.built,
                  .plans = state.candidate.plans};
  auto module =
      (*machine)->load({.ptx = program.built.ptx, .cubin = {}, .source_file = "candidate.cu"});
  if (!module.ok() || module->fault) return std::nullopt;
  program.module = module->module;
  auto again = load_case(state, **machine, program, loaded.item, loaded.trial.seed);
  if (!again.ok()) return std::nullopt;
  const auto report =
      again->replay->run({.poison_seed = loaded.trial.seed, .limit_s = kLimitSeconds});
  if (!report.ok() || !report->faults.empty()) return std::nullopt;
  return report->lane_instructions;
}

}  // namespace

Next judge_device_code(TrialState& state) {
  const build::BuildOutcome& built = state.candidate.built;
  add_census(state);
  if (state.request.is_baseline) return Next::go_on;
  const auto broken = build::broken_by_code(rules_of(state), built.entries, built.census);
  return broken ? forbid(state, *broken) : Next::go_on;
}

Next judge_plans(TrialState& state) {
  if (state.request.is_baseline) return Next::go_on;
  const auto rules = rules_of(state);
  for (const auto& [key, plan] : state.candidate.plans) {
    const auto broken = build::broken_by_plan(rules, state.candidate.built.entries, plan);
    if (broken) return forbid(state, *broken);
  }
  return Next::go_on;
}

Result<Next> judge_work(TrialState& state, const LoadedCase& loaded,
                        const device::RunReport& report) {
  // An exchange of neighbours puts one pair in order and takes two instructions or more, so there
  // are at least as many exchanges as pairs out of order. Sorting networks and merges stay far
  // below that where there are many.
  constexpr std::uint64_t kEnoughInversions = 8'000'000;
  const Task& task = state.request.task;
  if (!has_rule(task, "adjacent_exchange") || state.request.is_baseline || state.work_judged)
    return Next::go_on;
  const std::uint64_t wrong_pairs = inversions_of(task, loaded);
  if (wrong_pairs < kEnoughInversions) return Next::go_on;
  std::optional<std::uint64_t> instructions = report.lane_instructions;
  if (state.target.is_cuda) {
    instructions = counted_instructions(state, loaded);
    state.work_judged = true;
  }
  if (!instructions || *instructions >= 2 * wrong_pairs) return Next::go_on;
  const std::string reason = fmt::format(
      "{} pairs were out of order, and the whole call executed {} instructions: fewer than it "
      "takes to exchange neighbours that often",
      wrong_pairs, *instructions);
  return end_with(state, Verdict::forbidden,
                  describe_case(loaded.item) + ": " + reason + " (rule adjacent_exchange)",
                  "At " + describe_case(loaded.item) + ": " + reason +
                      ". This task asks for sorting by exchanges of neighbours only.\n");
}

}  // namespace warpwright::evaluate
