// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "base/one_way.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_rules.h"

namespace warpwright::evaluate {

namespace {

// Below, other methods need no fewer instructions than bubble sort must, and nothing can be told.
constexpr std::uint64_t kEnoughInversions = 1'000'000;
// Of a CPU, on a search while the GPU has another candidate.
constexpr double kCountedSeconds = 6;
constexpr double kCountedRunSeconds = 2;

bool is_watched(const TrialState& state) {
  return has_rule(state.request.task, "adjacent_exchange") && !state.request.is_baseline &&
         !state.request.timing_only;
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

/// An exchange of neighbours puts one pair in order and takes two instructions or more, so there
/// are at least as many exchanges as pairs out of order. Sorting networks and merges stay far
/// below that where there are many.
bool is_enough(std::uint64_t instructions, std::uint64_t wrong_pairs) {
  return instructions >= 2 * wrong_pairs;
}

Next end_with_too_little(TrialState& state, const verify::Case& item, std::uint64_t wrong_pairs,
                         std::uint64_t instructions) {
  const std::string reason = fmt::format(
      "{} pairs were out of order, and the whole call executed {} instructions: fewer than it "
      "takes to exchange neighbours that often",
      wrong_pairs, instructions);
  return end_with(state, Verdict::forbidden,
                  describe_case(item) + ": " + reason + " (rule adjacent_exchange)",
                  "At " + describe_case(item) + ": " + reason +
                      ". This task asks for sorting by exchanges of neighbours only.\n");
}

/// The SIMT machine with the candidate's code, whatever the trial's device.
struct Counter {
  std::unique_ptr<device::Device> machine;
  Program program;
};

Result<Counter> open_counter(TrialState& state) {
  const device::ResolvedDevice simt{.choice = {.device = "simt", .target = "", .checks = "off"},
                                    .is_cuda = false,
                                    .facts = state.target.facts};
  Counter counter;
  WW_TRY(counter.machine, device::open_device(simt, 0));
  counter.program = {.source = state.candidate.source,
                     .built = state.candidate.built,
                     .plans = state.candidate.plans};
  counter.program.built.cubin.clear();
  WW_TRY(const auto unloadable, load_program(*counter.machine, counter.program));
  if (unloadable) return Error{unloadable->message};
  return counter;
}

/// One call with its first steps only: an eighth of a plan that has many. Bubble sort does enough
/// in those, and need not be simulated to its end.
Result<std::uint64_t> first_instructions(TrialState& state, Counter& counter,
                                         const verify::Case& item) {
  constexpr std::size_t kManySteps = 64;
  WW_TRY(const auto call, call_of(state.request.task, *item.size, item.variant));
  const std::string key = call_key(call);
  LaunchPlan part = counter.program.plans.at(key);
  if (part.steps.size() < kManySteps) return std::uint64_t{0};
  part.steps.resize(part.steps.size() / 8);
  Program program;
  program.module = counter.program.module;
  program.plans.emplace(key, std::move(part));
  WW_TRY(auto loaded, load_case(state, *counter.machine, program, item, state.seed));
  WW_TRY(const auto report,
         loaded.replay->run({.poison_seed = state.seed, .limit_s = kCountedRunSeconds}));
  return report.lane_instructions;
}

/// The error says why this size could not be judged.
Result<Next> judge_size(TrialState& state, Counter& counter, const TaskSize& size) {
  const verify::Case item{&size, nullptr};
  WW_TRY(auto loaded, load_case(state, *counter.machine, counter.program, item, state.seed));
  const std::uint64_t wrong_pairs = inversions_of(state.request.task, loaded);
  if (wrong_pairs < kEnoughInversions) return Next::go_on;
  WW_TRY(const std::uint64_t first, first_instructions(state, counter, item));
  if (is_enough(first, wrong_pairs)) return Next::go_on;
  WW_TRY(const auto report,
         loaded.replay->run({.poison_seed = state.seed, .limit_s = kCountedRunSeconds}));
  // What did that much before it was stopped need not be seen to its end.
  if (is_enough(report.lane_instructions, wrong_pairs)) return Next::go_on;
  if (!report.faults.empty()) return Error{report.faults.front().message};
  WW_TRY(const bool needed, verify::needs_expected(loaded.trial));
  if (needed && !state.reference) return Error{"the task has no reference"};
  WW_TRY(const auto expected, expected_values(state, loaded));
  WW_TRY(const Fetched fetched, fetch_results(loaded));
  WW_TRY(const auto wrong, find_wrong(loaded.trial, loaded.inputs, expected, fetched));
  if (!wrong) return end_with_too_little(state, item, wrong_pairs, report.lane_instructions);
  // Of a GPU's candidate the GPU's results decide, and it runs this size too.
  return state.target.is_cuda ? Next::go_on : end_with_wrong(state, item, *wrong, report.findings);
}

/// What matters most first.
std::vector<const TaskSize*> sizes_to_judge(const TrialState& state) {
  std::vector<const TaskSize*> sizes = {state.work_size.get()};
  sizes.insert(sizes.end(), state.timed.rbegin(), state.timed.rend());
  for (auto item = state.cases.rbegin(); item != state.cases.rend(); ++item) {
    const bool known = std::find(sizes.begin(), sizes.end(), item->size) != sizes.end();
    if (item->variant == nullptr && !known) sizes.push_back(item->size);
  }
  std::erase_if(sizes, [&](const TaskSize* size) { return state.work_judged.contains(size); });
  return sizes;
}

void note_unjudged(TrialState& state, const std::string& sizes, const std::string& why) {
  note(state, "the rule adjacent_exchange was not checked at " + sizes + ": " + why);
}

}  // namespace

void draw_work_size(TrialState& state) {
  const auto& sizes = state.request.task.sizes;
  if (!is_watched(state) || sizes.empty()) return;
  std::mt19937_64 random(one_way(state.seed, "work size"));
  // The larger, the clearer: the work of a network grows slower than the number of wrong pairs.
  std::uniform_real_distribution<double> share(0.9, 1.0);
  TaskSize drawn = sizes.back();
  for (auto& [name, value] : drawn.values) {
    value = std::max(1.0, std::floor(value * share(random)));
  }
  drawn.label = label_of(state.request.task, drawn.values);
  state.work_size = std::make_shared<const TaskSize>(std::move(drawn));
  if (state.target.is_cuda) state.cases.push_back({state.work_size.get(), nullptr});
}

Result<Next> judge_work(TrialState& state, const LoadedCase& loaded,
                        const device::RunReport& report) {
  if (!is_watched(state) || state.target.is_cuda || report.lane_instructions == 0) {
    return Next::go_on;
  }
  if (loaded.item.variant == nullptr) state.work_judged.insert(loaded.item.size);
  const std::uint64_t wrong_pairs = inversions_of(state.request.task, loaded);
  if (wrong_pairs < kEnoughInversions || is_enough(report.lane_instructions, wrong_pairs)) {
    return Next::go_on;
  }
  return end_with_too_little(state, loaded.item, wrong_pairs, report.lane_instructions);
}

Next judge_work_by_size(TrialState& state) {
  if (!is_watched(state) || !state.work_size) return Next::go_on;
  const PartTimer timer(state, "work");
  auto counter = open_counter(state);
  if (!counter.ok()) {
    note_unjudged(state, "any size", "the SIMT machine cannot run it: " + counter.error().message);
    return Next::go_on;
  }
  const auto start = std::chrono::steady_clock::now();
  for (const TaskSize* size : sizes_to_judge(state)) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > kCountedSeconds || state.stop.requested() || state.deadline.passed()) {
      note_unjudged(state, describe_case({size, nullptr}) + " and others", "no time was left");
      return Next::go_on;
    }
    const auto next = judge_size(state, *counter, *size);
    if (!next.ok()) {
      note_unjudged(state, describe_case({size, nullptr}), next.error().message);
    } else if (*next == Next::ended) {
      return Next::ended;
    }
  }
  return Next::go_on;
}

}  // namespace warpwright::evaluate
