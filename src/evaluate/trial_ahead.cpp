// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_ahead.h"

#include <algorithm>
#include <thread>

#include "base/background.h"
#include "evaluate/memory_room.h"
#include "evaluate/trial_buffers.h"
#include "evaluate/trial_runs.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kLargestCase = std::uint64_t{24} << 20;
constexpr std::uint64_t kTimedSeeds = 1 << 20;
constexpr std::uint64_t kSeedsPerSize = 1 << 12;

/// Makes one case if it is small and there is room for it.
Status make_one(TrialState& state, const verify::Case& item, std::uint64_t seed, bool with_expected,
                std::uint64_t& room) {
  const Task& task = state.request.task;
  WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *item.size));
  // Expected values are doubles, and some have scales beside them.
  const std::uint64_t kept = with_expected ? 5 * bytes : bytes;
  if ((with_expected && bytes > kLargestCase) || kept > room) return {};
  WW_TRY(const auto trial, verify::make_trial(task, *item.size, item.variant, seed));
  std::optional<std::vector<verify::Expected>> expected;
  std::vector<verify::Bytes> inputs;
  {
    const PartTimer timer(state, "inputs");
    WW_TRY(inputs, verify::generate_inputs(trial));
  }
  WW_TRY(const bool needed, verify::needs_expected(trial));
  if (with_expected && needed && state.reference) {
    const PartTimer timer(state, "reference");
    WW_TRY(expected, state.reference->run(trial, inputs));
  }
  std::uint64_t made = 0;
  for (const verify::Bytes& buffer : inputs) made += buffer.size();
  room -= with_expected ? kept : std::min(made, room);
  state.ahead.put(item, seed, std::move(inputs), std::move(expected));
  return {};
}

}  // namespace

void Ahead::put(const verify::Case& item, std::uint64_t seed, std::vector<verify::Bytes> inputs,
                std::optional<std::vector<verify::Expected>> expected) {
  const Key key{item.size, item.variant, seed};
  inputs_[key] = std::move(inputs);
  if (expected) expected_[key] = std::move(*expected);
}

std::optional<std::vector<verify::Bytes>> Ahead::take_inputs(const verify::Case& item,
                                                             std::uint64_t seed) {
  auto found = inputs_.extract({item.size, item.variant, seed});
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

std::optional<std::vector<verify::Expected>> Ahead::take_expected(const verify::Case& item,
                                                                  std::uint64_t seed) {
  auto found = expected_.extract({item.size, item.variant, seed});
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

std::uint64_t input_sets(std::uint64_t footprint_bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  return footprint_bytes <= 64 * kMiB ? 12 : kContents;
}

Result<bool> is_tried_fresh(const Task& task, const TaskSize& size) {
  constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{128} << 20;
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // making the inputs takes seconds
  WW_TRY(const std::uint64_t bytes, footprint_bytes(task, size));
  WW_TRY(const std::uint64_t answer, answer_bytes(task, size));
  return answer <= kMostAnswerBytes && bytes <= kMostBytes;
}

std::uint64_t timed_seed(const TrialState& state, std::uint64_t size_number, std::uint64_t set) {
  return derived_seed(state.seed, kTimedSeeds + size_number * kSeedsPerSize + set);
}

namespace {

Status make_all(TrialState& state) {
  std::uint64_t room = memory_room();
  for (std::size_t i = 0; i < state.cases.size(); ++i) {
    if (state.stop.requested()) return Error{"stopped"};
    WW_CHECK(make_one(state, state.cases[i], derived_seed(state.seed, i), true, room));
  }
  for (std::size_t i = 0; i < state.timed.size(); ++i) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(state.request.task, *state.timed[i]));
    for (std::uint64_t set = 0; set < std::min(input_sets(bytes), kContents); ++set) {
      const verify::Case item{state.timed[i], nullptr};
      WW_CHECK(make_one(state, item, timed_seed(state, i, set), false, room));
    }
    WW_TRY(const bool fresh, is_tried_fresh(state.request.task, *state.timed[i]));
    if (!fresh) continue;
    const verify::Case item{state.timed[i], nullptr};
    WW_CHECK(make_one(state, item, timed_seed(state, i, kFreshSet), false, room));
  }
  return {};
}

}  // namespace

Status make_ahead(TrialState& state) {
  Status made;
  std::thread([&] {
    work_in_background();  // another candidate has the device
    made = make_all(state);
  }).join();
  return made;
}

}  // namespace warpwright::evaluate
