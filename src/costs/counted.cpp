// SPDX-License-Identifier: Apache-2.0
#include "costs/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/files.h"
#include "costs/caller.h"
#include "costs/fit.h"
#include "flops/run.h"
#include "flops/targets.h"
#include "verify/drawn_sizes.h"

namespace warpwright::costs {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kTimedBytes = std::uint64_t{32} << 20;
constexpr std::size_t kMostSizes = 18;
constexpr std::size_t kEnoughSizes = 6;
constexpr std::uint64_t kBudget = 20'000'000;  // warp instructions of a launch
constexpr double kWorstFit = 1.0;
constexpr auto kPatience = std::chrono::seconds(60);

/// Every buffer once: what a call moves at least. What is read and written counts twice.
std::string buffers_once(const Task& task) {
  std::string text;
  for (const TaskArgument& argument : task.arguments) {
    if (!is_buffer(argument)) continue;
    const std::size_t times = argument.role == ArgumentRole::inout ? 2 : 1;
    if (!text.empty()) text += " + ";
    text += fmt::format("{}*({})", times * bytes_of(argument.type), argument.expression);
  }
  return text.empty() ? "0" : text;
}

/// Small sizes, each once: listed ones, the smallest timed one, and some of the domains. Those in
/// the middle of the list are left out first.
Result<std::vector<TaskSize>> sizes_to_count(const Task& task) {
  std::vector<TaskSize> sizes;
  const auto add = [&](const TaskSize& size, std::uint64_t most) {
    const auto bytes = footprint_bytes(task, size);
    const bool known = std::any_of(sizes.begin(), sizes.end(), [&](const TaskSize& other) {
      return other.values == size.values;
    });
    if (bytes.ok() && *bytes <= most && !known) sizes.push_back(size);
  };
  const TaskSize* least = nullptr;
  for (const TaskSize& size : task.sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, size));
    WW_TRY(const std::uint64_t before, footprint_bytes(task, least == nullptr ? size : *least));
    if (least == nullptr || bytes < before) least = &size;
  }
  if (least != nullptr) add(*least, kTimedBytes);
  const verify::SizeLimits limits{.max_bytes = kSmallBytes, .max_work = 1e6, .per_class = 2};
  for (std::uint64_t seed = 1; seed <= 6 && sizes.size() < 2 * kMostSizes; ++seed) {
    WW_TRY(const verify::DrawnSizes drawn, verify::draw_sizes(task, limits, seed));
    for (const verify::DrawnSize& each : drawn.sizes) add(each.size, kSmallBytes);
  }
  for (const TaskSize& size : task.edge_sizes) add(size, kSmallBytes);
  for (const TaskSize& size : task.sizes) add(size, kSmallBytes);
  // The larger ones say more: what is constant does not matter where the roofline does.
  std::stable_sort(sizes.begin(), sizes.end(), [&](const TaskSize& a, const TaskSize& b) {
    return footprint_bytes(task, a).value() > footprint_bytes(task, b).value();
  });
  if (sizes.size() > kMostSizes) sizes.resize(kMostSizes);
  return sizes;
}

/// What one call does; nothing where it is too much to run.
struct CallCount {
  double flops = 0, bytes = 0;
};

Result<std::optional<CallCount>> count_call(const build::Builder& builder,
                                            const flop::BuiltProgram& built, const Task& task,
                                            const TaskSize& size, const fs::path& folder,
                                            const StopSignal* stop) {
  WW_CHECK(make_directories(folder));
  std::error_code ignored;
  fs::permissions(folder, fs::perms(0755), ignored);
  flop::RunRequest request;
  WW_TRY(request.arguments, write_call(task, size, folder));
  request.cwd = folder;
  WW_TRY(request.target, flop::target_named("sm_90"));
  request.limits.first = kBudget;
  request.limits.repeats = 20 * kBudget;
  request.limits.counted = 100'000;
  WW_TRY(const flop::ProgramRun run, flop::run_program(builder.sandbox(), built, request, stop));
  if (!run.faults.empty())
    return Error{fmt::format("the baseline does wrong at size {}: {}", size.label, run.faults[0])};
  if (run.exit.stopped || run.left_out != 0 || !run.exit.succeeded())
    return std::optional<CallCount>{};
  CallCount count;
  for (const flop::LaunchCount& launch : run.launches) {
    count.flops += launch.flops.total();
    count.bytes += launch.bytes;
  }
  return std::optional(count);
}

Result<flop::BuiltProgram> build_baseline(const build::Builder& builder, const Task& task,
                                          const fs::path& folder, const StopSignal* stop) {
  flop::ProgramRequest request;
  const fs::path sources = folder / "sources";
  WW_CHECK(make_directories(sources));
  WW_CHECK(make_directories(folder / "built"));
  WW_CHECK(write_file(sources / "baseline.cu", task.baseline_source));
  WW_CHECK(write_file(sources / "main.cu", caller_text(task)));
  std::error_code ignored;
  for (const fs::path& path : {sources, sources / "baseline.cu", sources / "main.cu"})
    fs::permissions(path, fs::perms(path == sources ? 0755 : 0644), ignored);
  request.files = {sources / "baseline.cu", sources / "main.cu"};
  WW_TRY(request.target, flop::target_named("sm_90"));
  WW_TRY(flop::BuiltProgram built, flop::build_program(builder, request, folder / "built", stop));
  if (!built.ok) return Error{"the baseline cannot be built: " + built.reason};
  return built;
}

/// Names that an expression may use and that differ between samples.
std::vector<std::string> varying(const std::vector<Sample>& samples, const Task& task) {
  std::vector<std::string> names;
  for (const auto& [name, value] : samples.front().values) {
    const bool floating = std::any_of(
        task.arguments.begin(), task.arguments.end(), [&, &key = name](const TaskArgument& a) {
          return a.name == key && !is_buffer(a) && is_floating(a.type);
        });
    const bool differs = std::any_of(samples.begin(), samples.end(),
                                     [&, &key = name, &first = value](const Sample& s) {
                                       const auto it = s.values.find(key);
                                       return it != s.values.end() && it->second != first;
                                     });
    if (differs && !floating) names.push_back(name);
  }
  constexpr std::size_t kMostNames = 8;
  if (names.size() > kMostNames) names.resize(kMostNames);
  return names;
}

std::vector<std::string> element_counts(const Task& task) {
  std::set<std::string> counts;
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument)) counts.insert(argument.expression);
  }
  return {counts.begin(), counts.end()};
}

Result<CountedCosts> costs_of(const Task& task, const std::vector<Sample>& flops,
                              const std::vector<Sample>& asked) {
  const std::vector<std::string> names = varying(flops, task), counts = element_counts(task);
  CountedCosts costs;
  costs.sizes = flops.size();
  WW_TRY(const Fit computed, fit(flops, names, counts));
  if (computed.worst > kWorstFit)
    return Error{
        "the baseline's FLOPs do not follow from the values of a size: write cost.flops "
        "as an expression"};
  costs.flops = computed.expression;
  costs.flops_off = computed.worst;
  costs.bytes = buffers_once(task);
  const bool less = std::all_of(asked.begin(), asked.end(), [&](const Sample& sample) {
    const auto once = value_of(costs.bytes, sample.values);
    return once.ok() && sample.amount < 0.9 * *once;
  });
  if (!less) return costs;
  // Parts of the buffers are never looked at.
  WW_TRY(const Fit moved, fit(asked, names, counts));
  if (moved.worst > 0.1) return costs;
  costs.bytes = moved.expression;
  costs.bytes_off = moved.worst;
  return costs;
}

}  // namespace

Result<CountedCosts> count_costs(const build::Builder& builder, const Task& given,
                                 const StopSignal* stop) {
  if (given.baseline_source.empty())
    return Error{
        "\"auto\" costs are counted from baseline.cu, and the task has none: write "
        "cost.bytes and cost.flops as expressions"};
  Task task = given;
  // Sizes are drawn by what they cost: until that is known, by what they hold.
  task.bytes_expression = task.flops_expression = buffers_once(given);
  task.work_expression.clear();
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-costs-"));
  fs::permissions(folder.path(), fs::perms(0755));
  WW_TRY(const flop::BuiltProgram built, build_baseline(builder, task, folder.path(), stop));
  WW_TRY(const std::vector<TaskSize> sizes, sizes_to_count(task));
  std::vector<Sample> flops, asked;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (flops.size() >= kEnoughSizes && std::chrono::steady_clock::now() > end) break;
    const fs::path place = folder.path() / std::to_string(i);
    WW_TRY(const auto count, count_call(builder, built, task, sizes[i], place, stop));
    if (!count) continue;
    WW_TRY(const Values values, values_at(task, sizes[i]));
    flops.push_back({values, count->flops});
    asked.push_back({values, count->bytes});
  }
  if (flops.empty())
    return Error{
        "no call of the baseline could be counted on the SIMT machine: write cost.bytes "
        "and cost.flops as expressions"};
  return costs_of(task, flops, asked);
}

Task with_costs(Task task, const CountedCosts& costs) {
  if (task.flops_expression == kCountedCost) task.flops_expression = costs.flops;
  if (task.bytes_expression == kCountedCost) task.bytes_expression = costs.bytes;
  return task;
}

}  // namespace warpwright::costs
