// SPDX-License-Identifier: Apache-2.0
#include "evaluate/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_way.h"
#include "verify/kind_sizes.h"
#include "verify/oracle.h"
#include "verify/work_rule.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr double kSimulatedFlops = 3e7;
constexpr std::uint64_t kCheckedTwiceBytes = 16 * kMiB;
// A hang shows soon where there is little to do.
constexpr std::uint64_t kTinyBytes = 64 << 10;
constexpr std::uint64_t kTinyWork = 40'000'000;
constexpr double kTinyGpuRunSeconds = 1;
// Of sizes that are drawn, where a module of PyTorch is the reference: it computes on the host, or
// on the GPU from what the host sends. The timed sizes are what they are.
constexpr std::uint64_t kModuleBytes = 256 * kMiB;

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

WorkLimits work_limits(const JobRequest& request, const device::ResolvedDevice& target) {
  if (target.is_cuda) {
    // Three sets of buffers live at once while timing. The flops are those of a CPU's reference.
    const auto memory = static_cast<std::uint64_t>(target.facts.memory_bytes);
    // A baseline of the suite's that works in one thread takes half a minute at times, and ends.
    const double longest_s = request.timing_only ? 60 : 10;
    return {.cases = {.max_bytes = memory / 8, .max_flops = 2e10, .timed_sizes = false},
            .drawn = {.max_bytes = std::min(64 * kMiB, memory / 8),
                      .max_work = 3e8,
                      .per_class = 2,
                      .beyond_listed = 1.25,
                      .most_bytes = request.task.torch.source.empty()
                                        ? memory / 8
                                        : std::min(memory / 8, kModuleBytes),
                      .spread = 8,
                      .above_bytes = std::min(64 * kMiB, memory / 8),
                      .above_work = 3e8},
            .patterns = 16,
            .others_per_size = 2,
            .checked_bytes = memory / 8,
            .timed_bytes = memory / 4,
            .run_s = std::min(longest_s, 0.25 * request.limit_s)};
  }
  return {.cases = {.max_bytes = kMiB,
                    .max_flops = kSimulatedFlops,
                    .timed_sizes = false,
                    .sizes_per_variant = 2},
          .drawn = {.max_bytes = kMiB,
                    .max_work = kSimulatedFlops / 10,
                    .spread = 8,
                    .above_bytes = 8 * kMiB,
                    .above_work = kSimulatedFlops,
                    .above_parts = 2},
          .patterns = 8,
          .others_per_size = 1,
          .checked_bytes = 8 * kMiB,
          .timed_bytes = 600 * kMiB,
          .validate_work = 3'000'000'000,
          .launch_work = 200'000'000,
          .sampled_bytes = 128 * kMiB,
          .sampled_flops = 1e9};
}

bool has_case(const std::vector<verify::Case>& cases, const TaskSize& size) {
  return std::any_of(cases.begin(), cases.end(), [&](const verify::Case& item) {
    return item.size == &size && item.variant == nullptr;
  });
}

namespace {

/// Timed sizes, then the larger edge sizes, as far as this device can check them.
Status add_large_cases(Prepared& prepared, const WorkLimits& limits) {
  const Task& task = prepared.task();
  std::vector<const TaskSize*> sizes = prepared.timed;
  for (const TaskSize& edge : task.edge_sizes) sizes.push_back(&edge);
  for (const TaskSize* size : sizes) {
    if (has_case(prepared.cases, *size)) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    WW_TRY(const double work, flops(task, *size));
    const bool timed =
        std::find(prepared.timed.begin(), prepared.timed.end(), size) != prepared.timed.end();
    // On a GPU the result of a timed call is checked too: that is enough for a size whose inputs
    // alone take long to make.
    if (timed && prepared.target.is_cuda && bytes > kCheckedTwiceBytes) continue;
    const bool fits = bytes <= limits.checked_bytes && work <= limits.cases.max_flops;
    if (fits || (timed && prepared.target.is_cuda)) {
      const auto size_class = timed ? verify::SizeClass::timed : verify::SizeClass::edge;
      prepared.cases.push_back({size, nullptr, size_class});
    }
  }
  return {};
}

/// Timed sizes see other inputs than the declared ones, too.
Status add_drawn_inputs(Prepared& prepared, const WorkLimits& limits) {
  const Task& task = prepared.task();
  for (std::size_t i = 0; i < prepared.timed.size(); ++i) {
    const TaskSize& size = *prepared.timed[i];
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, size));
    WW_TRY(const double amount, work(task, size));
    const std::uint64_t most = prepared.target.is_cuda ? kCheckedTwiceBytes : limits.checked_bytes;
    if (bytes > most || amount > limits.cases.max_flops) continue;
    WW_TRY(const auto inputs, verify::draw_inputs(task, *prepared.patterns, size,
                                                  one_way(prepared.seed, "timed inputs", i), 0));
    if (inputs.variant != nullptr)
      prepared.cases.push_back({&size, inputs.variant, verify::SizeClass::timed});
  }
  return {};
}

// What trying every kind of inputs may take on the SIMT machine, in all calls together.
constexpr std::uint64_t kAllKindsBytes = 32 * kMiB;
constexpr double kAllKindsWork = 2e8;
// The same at drawn sizes.
constexpr double kAllDrawnBytes = 16 * kMiB;
constexpr double kAllDrawnWork = 2.5e7;

/// On the SIMT machine few timed calls are made: every kind of inputs is tried at the largest timed
/// size at which all of them can be.
Status add_every_kind(Prepared& prepared, const WorkLimits& limits) {
  if (prepared.target.is_cuda) return {};
  const Task& task = prepared.task();
  const TaskSize* at = nullptr;
  std::vector<const InputVariant*> kinds;
  for (const TaskSize* size : prepared.timed) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    WW_TRY(const double amount, work(task, *size));
    if (bytes > limits.checked_bytes || amount > limits.cases.max_flops) continue;
    WW_TRY(auto all, verify::every_kind(task, *prepared.patterns, *size,
                                        one_way(prepared.seed, "kinds at timed sizes")));
    const std::uint64_t most =
        std::min(kAllKindsBytes / std::max<std::uint64_t>(bytes, 1),
                 static_cast<std::uint64_t>(kAllKindsWork / std::max(amount, 1.0)));
    // Where not all of them can be, the smallest size has to do, with some.
    if (all.size() > most && at != nullptr) continue;
    at = size;
    if (all.size() > most) all.resize(most);
    kinds = std::move(all);
  }
  for (const InputVariant* kind : kinds)
    prepared.cases.push_back({at, kind, verify::SizeClass::timed});
  return {};
}

/// Which size that is can be computed beforehand. So every kind is tried at drawn sizes, too, as
/// large as all of them can be.
Status add_every_kind_at_drawn_sizes(Prepared& prepared, const WorkLimits& limits) {
  const Task& task = prepared.task();
  // A module of PyTorch takes too long for so many calls.
  if (prepared.target.is_cuda || !task.torch.source.empty()) return {};
  const std::uint64_t seed = one_way(prepared.seed, "kinds at drawn sizes");
  WW_TRY(const auto some, verify::every_kind(task, *prepared.patterns, task.sizes.back(), seed));
  WW_TRY(auto sizes,
         verify::draw_kind_sizes(task,
                                 {.kinds = some.size(),
                                  .bytes = kAllDrawnBytes,
                                  .work = kAllDrawnWork,
                                  .most_bytes = static_cast<double>(limits.checked_bytes),
                                  .most_work = limits.cases.max_flops},
                                 seed));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    prepared.drawn.push_back(std::make_shared<const TaskSize>(std::move(sizes[i])));
    const TaskSize* size = prepared.drawn.back().get();
    WW_TRY(const auto kinds,
           verify::every_kind(task, *prepared.patterns, *size, one_way(seed, "size", i)));
    for (const InputVariant* kind : kinds)
      prepared.cases.push_back({size, kind, verify::SizeClass::between});
  }
  return {};
}

/// Edge sizes, variants and patterns, and what is drawn for this judgement alone.
Status draw_small_cases(Prepared& prepared, const WorkLimits& limits, Context& context) {
  verify::SizeLimits drawn = limits.drawn;
  std::size_t others = limits.others_per_size;
  // A host would take minutes for the reference of some of them.
  if (!verify::has_device_checks(prepared.task())) {
    drawn.beyond_listed = 0;
    drawn.above_bytes = 0;
    drawn.per_class = 1;
    others = 0;
  }
  WW_TRY(auto set, verify::draw_cases(prepared.task(), prepared.seed,
                                      {.edge = limits.cases,
                                       .drawn = drawn,
                                       .patterns = limits.patterns,
                                       .others_per_size = others}));
  for (const verify::DrawnSize& item : set.storage->sizes)
    prepared.drawn.emplace_back(set.storage, &item.size);
  prepared.patterns = {set.storage, &set.storage->patterns};
  prepared.cases = std::move(set.cases);
  if (!set.left_out.empty()) {
    note(context, fmt::format("no drawn size fits the device: {}", fmt::join(set.left_out, "; ")));
  }
  return {};
}

/// A size that nobody knows beforehand, for a rule on the work of a call. On a GPU its results are
/// checked like others.
void draw_work_size(Prepared& prepared) {
  const verify::WorkRule* rule = verify::work_rule_of(prepared.task());
  if (rule == nullptr || prepared.request().is_baseline || prepared.request().timing_only) return;
  auto size = rule->draw_size(prepared.task(), one_way(prepared.seed, "work size"));
  if (!size) return;
  prepared.drawn.push_back(std::make_shared<const TaskSize>(std::move(*size)));
  prepared.work_size = prepared.drawn.back().get();
  if (prepared.target.is_cuda) prepared.cases.push_back({prepared.work_size, nullptr});
}

}  // namespace

device::RunOptions run_options(const Prepared& prepared, const verify::Case& item,
                               std::uint64_t poison_seed) {
  const WorkLimits limits = work_limits(prepared.request(), prepared.target);
  device::RunOptions options{
      .poison_seed = poison_seed, .limit_s = limits.run_s, .work = limits.launch_work};
  const auto bytes = footprint_bytes(prepared.task(), *item.size);
  if (bytes.ok() && *bytes <= kMiB) options.limit_s = std::min(limits.run_s, kTinyGpuRunSeconds);
  if (bytes.ok() && *bytes <= kTinyBytes) options.work = kTinyWork;
  return options;
}

Status choose_work(Prepared& prepared, Context& context) {
  const Task& task = prepared.task();
  const WorkLimits limits = work_limits(prepared.request(), prepared.target);
  if (prepared.request().timing_only) {
    note(context, "timed only: nothing was validated");
  } else {
    WW_CHECK(draw_small_cases(prepared, limits, context));
  }
  WW_TRY(const auto sizes, requested_sizes(prepared.request()));
  for (const TaskSize* size : sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    if (bytes > limits.timed_bytes) {
      const std::string why =
          fmt::format("size {} is not measured: its {} MiB do not fit {}", size->label,
                      bytes / kMiB, prepared.target.is_cuda ? "the GPU" : "the SIMT machine");
      note(context, why, "unmeasured");
      // Who names a size wants to know; who names none gets those that fit.
      if (!prepared.request().sizes.empty()) context.notes.unchecked.push_back(why);
      continue;
    }
    prepared.timed.push_back(size);
  }
  if (prepared.request().timing_only) return {};
  WW_CHECK(add_large_cases(prepared, limits));
  WW_CHECK(add_drawn_inputs(prepared, limits));
  WW_CHECK(add_every_kind(prepared, limits));
  WW_CHECK(add_every_kind_at_drawn_sizes(prepared, limits));
  draw_work_size(prepared);
  return {};
}

}  // namespace warpwright::evaluate
