// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <random>

#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_rules.h"
#include "evaluate/trial_runs.h"

namespace warpwright::evaluate {

namespace {

std::uint64_t drawn_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) ^ source();
}

Status load_reference(TrialState& state) {
  if (state.request.task.reference_source.empty()) return {};
  const auto cache = state.request.cache.empty() ? state.scratch / "cache" : state.request.cache;
  WW_TRY(auto reference,
         verify::Reference::load(state.request.task, {.cache = cache / "references"}));
  state.reference.emplace(std::move(reference));
  return {};
}

Result<std::optional<device::Fault>> load_program(device::Device& device, Program& program) {
  WW_TRY(auto loaded, device.load({.ptx = program.built.ptx,
                                   .cubin = program.built.cubin,
                                   .source_file = "candidate.cu"}));
  program.module = loaded.module;
  return loaded.fault;
}

Result<Next> open_and_load(TrialState& state) {
  WW_CHECK(load_reference(state));
  if (const auto ended = out_of_time(state)) return *ended;
  WW_TRY(state.device, device::open_device(state.target, state.deadline.remaining_s()));
  state.device_since = std::chrono::steady_clock::now();
  state.evaluation.device = state.device->info().description;
  state.seed = state.request.seed.value_or(drawn_seed());
  state.evaluation.seed = fmt::format("{:#018x}", state.seed);
  WW_TRY(const auto fault, load_program(*state.device, state.candidate));
  if (fault) {
    return end_with(state, fault->verdict, fault->message, fault->message + "\n");
  }
  if (state.baseline) {
    WW_TRY(const auto own, load_program(*state.device, *state.baseline));
    if (own) return Error{"the task's baseline cannot be loaded: " + own->message};
  }
  return Next::go_on;
}

/// A GPU says that something went wrong, not where: the SIMT machine finds the line, if it can.
std::vector<device::Fault> explained(TrialState& state, std::vector<device::Fault> faults,
                                     const verify::Case& item, std::uint64_t seed) {
  constexpr std::uint64_t kSmallBytes = 8 << 20;
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  if (!state.target.is_cuda || !bytes.ok() || *bytes > kSmallBytes) return faults;
  device::ResolvedDevice simt{.choice = {.device = "simt"}, .facts = state.target.facts};
  auto machine = device::open_device(simt, 0);
  if (!machine.ok()) return faults;
  Program program{.source = state.candidate.source,
                  .built = state.candidate.built,
                  .plans = state.candidate.plans};
  const auto unloadable = load_program(**machine, program);
  if (!unloadable.ok() || *unloadable) return faults;
  auto loaded = load_case(state, **machine, program, item, seed);
  if (!loaded.ok()) return faults;
  auto report = loaded->replay->run({.poison_seed = seed, .limit_s = 4});
  if (!report.ok() || report->faults.empty()) return faults;
  // The verdict is the hardware's; the place is the machine's.
  for (device::Fault& fault : report->faults) fault.verdict = faults.front().verdict;
  return std::move(report->faults);
}

/// A simulated run of a large size that takes too long is a limit of ours, not a hang: small sizes
/// have ended before it.
bool too_large_to_judge(TrialState& state, const device::RunReport& report,
                        const verify::Case& item) {
  const std::uint64_t hang_bytes = work_limits(state).hang_bytes;
  if (hang_bytes == 0 || report.faults.empty() || report.faults.front().kind != "timeout") {
    return false;
  }
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  if (!bytes.ok() || *bytes <= hang_bytes) return false;
  note(state, describe_case(item) + " was not checked: too much work to simulate");
  return true;
}

Result<Next> run_and_check(TrialState& state, LoadedCase& loaded,
                           std::span<const verify::Expected> expected, std::uint64_t poison_seed) {
  WW_TRY(const auto report, loaded.replay->run({.poison_seed = poison_seed,
                                                .limit_s = run_limit_s(state, loaded.item)}));
  if (too_large_to_judge(state, report, loaded.item)) return Next::go_on;
  if (!report.faults.empty()) {
    return end_with_faults(state, explained(state, report.faults, loaded.item, loaded.trial.seed),
                           loaded.item);
  }
  const auto& plan = state.candidate.plans.at(call_key(loaded.call));
  merge_resources(state, report.resources, plan);
  WW_TRY(const Next checked, check_results(state, loaded, expected, report.findings));
  return checked == Next::ended ? checked : judge_work(state, loaded, report);
}

/// A wrong result that changes with the poison has a cause worth telling.
Status blame_old_content(TrialState& state, LoadedCase& loaded, std::uint64_t seed) {
  WW_TRY(const auto before, loaded.buffers.outputs());
  WW_TRY(const auto report, loaded.replay->run({.poison_seed = derived_seed(seed, 2),
                                                .limit_s = work_limits(state).run_s}));
  WW_TRY(const auto after, loaded.buffers.outputs());
  if (!report.faults.empty() || before == after) return {};
  state.evaluation.feedback +=
      "The wrong values change with what the memory held before the call: something is read or "
      "added to before it is written, or not written at all.\n";
  return {};
}

Result<Next> validate_case(TrialState& state, const verify::Case& item, std::uint64_t number) {
  const std::uint64_t seed = derived_seed(state.seed, number);
  WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, item, seed));
  WW_TRY(const auto expected, expected_values(state, loaded));
  WW_TRY(const Next first, run_and_check(state, loaded, expected, seed));
  if (first == Next::ended && state.evaluation.verdict == Verdict::mismatch) {
    WW_CHECK(blame_old_content(state, loaded, seed));
  }
  // Every other case a second time: what an output held before must not matter.
  if (first == Next::ended || number % 2 == 0) return first;
  WW_TRY(const Next second, run_and_check(state, loaded, expected, derived_seed(seed, 1)));
  if (second == Next::ended) {
    state.evaluation.feedback +=
        "The same call was right the first time: the result depends on what memory held before, "
        "or on the order in which threads ran.\n";
  }
  return second;
}

}  // namespace

Result<Next> validate_stage(TrialState& state) {
  WW_TRY(const Next opened, open_and_load(state));
  if (opened == Next::ended) return opened;
  const double budget_s = work_limits(state).validate_s;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < state.cases.size(); ++i) {
    if (state.stop.requested()) return Error{"stopped"};
    if (const auto ended = out_of_time(state)) return *ended;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > budget_s && !state.target.is_cuda) {
      note(state, fmt::format("{} of {} validation cases were left out for want of time",
                              state.cases.size() - i, state.cases.size()));
      break;
    }
    WW_TRY(const Next next, validate_case(state, state.cases[i], i));
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

}  // namespace warpwright::evaluate
