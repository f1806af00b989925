// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_way.h"
#include "verify/drawn_sizes.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr double kSimulatedFlops = 3e7;
constexpr std::uint64_t kCheckedTwiceBytes = 16 * kMiB;
// A hang shows soon where there is little to do.
constexpr double kTinyRunSeconds = 0.4;
constexpr double kTinyGpuRunSeconds = 1;

Result<std::vector<const TaskSize*>> requested_sizes(const JobRequest& request) {
  std::vector<const TaskSize*> sizes;
  for (const std::string& label : request.sizes) {
    const TaskSize* size = size_labelled(request.task, label);
    if (size == nullptr) {
      return Error{"the task " + request.task.name + " has no size labelled \"" + label + "\""};
    }
    sizes.push_back(size);
  }
  if (request.sizes.empty()) {
    for (const TaskSize& size : request.task.sizes) sizes.push_back(&size);
  }
  return sizes;
}

}  // namespace

WorkLimits work_limits(const TrialState& state) {
  const double limit_s = state.request.limit_s;
  if (state.target.is_cuda) {
    // Three sets of buffers live at once while timing. The flops are those of a CPU's reference.
    const auto memory = static_cast<std::uint64_t>(state.target.facts.memory_bytes);
    // A baseline of the suite's that works in one thread takes half a minute at times, and ends.
    const double longest_s = state.request.timing_only ? 60 : 10;
    return {.cases = {.max_bytes = memory / 8, .max_flops = 2e10, .timed_sizes = false},
            .drawn = {.max_bytes = std::min(64 * kMiB, memory / 8), .max_flops = 1e9},
            .checked_bytes = memory / 8,
            .timed_bytes = memory / 4,
            .validate_s = 0.6 * limit_s,
            .run_s = std::min(longest_s, 0.25 * limit_s)};
  }
  return {.cases = {.max_bytes = kMiB,
                    .max_flops = kSimulatedFlops,
                    .timed_sizes = false,
                    .sizes_per_variant = 2},
          .drawn = {.max_bytes = kMiB / 4, .max_flops = kSimulatedFlops / 10},
          .checked_bytes = 8 * kMiB,
          .timed_bytes = 600 * kMiB,
          .validate_s = std::min(10.0, 0.4 * limit_s),
          .run_s = std::min(1.5, 0.25 * limit_s),
          .hang_bytes = 64 << 10};
}

bool has_case(const std::vector<verify::Case>& cases, const TaskSize& size) {
  return std::any_of(cases.begin(), cases.end(), [&](const verify::Case& item) {
    return item.size == &size && item.variant == nullptr;
  });
}

namespace {

/// Timed sizes, then the larger edge sizes, as far as this device can check them.
Status add_large_cases(TrialState& state, const WorkLimits& limits) {
  const Task& task = state.request.task;
  std::vector<const TaskSize*> sizes = state.timed;
  for (const TaskSize& edge : task.edge_sizes) sizes.push_back(&edge);
  for (const TaskSize* size : sizes) {
    if (has_case(state.cases, *size)) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    WW_TRY(const double work, flops(task, *size));
    const bool timed = std::find(state.timed.begin(), state.timed.end(), size) != state.timed.end();
    // On a GPU the result of a timed call is checked too: that is enough for a size whose inputs
    // alone take long to make.
    if (timed && state.target.is_cuda && bytes > kCheckedTwiceBytes) continue;
    const bool fits = bytes <= limits.checked_bytes && work <= limits.cases.max_flops;
    if (fits || (timed && state.target.is_cuda)) state.cases.push_back({size, nullptr});
  }
  return {};
}

/// Last, because what is wrong there is mostly wrong elsewhere, too.
Status add_drawn_cases(TrialState& state, const WorkLimits& limits) {
  // The sizes are seen by the host code, the seed must not be.
  WW_TRY(auto sizes,
         verify::drawn_sizes(state.request.task, limits.drawn, one_way(state.seed, "drawn sizes")));
  state.drawn = std::make_shared<const std::vector<TaskSize>>(std::move(sizes));
  for (const TaskSize& size : *state.drawn) state.cases.push_back({&size, nullptr});
  return {};
}

}  // namespace

double run_limit_s(const TrialState& state, const verify::Case& item) {
  const WorkLimits limits = work_limits(state);
  const double limit_s = std::min(limits.run_s, state.deadline.remaining_s());
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  if (!bytes.ok()) return limit_s;
  if (state.target.is_cuda && *bytes <= kMiB) return std::min(limit_s, kTinyGpuRunSeconds);
  return *bytes <= limits.hang_bytes ? std::min(limit_s, kTinyRunSeconds) : limit_s;
}

Status choose_work(TrialState& state) {
  const Task& task = state.request.task;
  const WorkLimits limits = work_limits(state);
  if (state.request.timing_only) {
    note(state, "timed only: nothing was validated");
  } else {
    WW_TRY(state.cases, verify::cases_of(task, limits.cases));
  }
  WW_TRY(const auto sizes, requested_sizes(state.request));
  for (const TaskSize* size : sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    if (bytes > limits.timed_bytes) {
      note(state, fmt::format("size {} is not measured: its {} MiB do not fit {}", size->label,
                              bytes / kMiB, state.target.is_cuda ? "the GPU" : "the SIMT machine"));
      continue;
    }
    state.timed.push_back(size);
  }
  if (state.request.timing_only) return {};
  WW_CHECK(add_large_cases(state, limits));
  return add_drawn_cases(state, limits);
}

}  // namespace warpwright::evaluate
