// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/one_way.h"
#include "build/compiler_faults.h"
#include "build/resources.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "verify/check.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostFaultFindings = 8;

}  // namespace

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t n) {
  return one_way(seed, "derived", n);
}

namespace {

Result<device::Loaded> load_code(device::Device& device, const Program& program) {
  return device.load(
      {.ptx = program.built.ptx, .cubin = program.built.cubin, .source_file = "candidate.cu"});
}

}  // namespace

Result<std::optional<device::Fault>> load_program(device::Device& device, Program& program) {
  WW_TRY(auto loaded, load_code(device, program));
  program.module = loaded.module;
  return loaded.fault;
}

Result<device::ModuleId> module_copy(TrialState& state, Program& program, std::size_t number) {
  if (number == 0 || !state.target.is_cuda) return program.module;
  while (program.copies.size() < number) {
    WW_TRY(const auto loaded, load_code(*state.device, program));
    if (loaded.fault)
      return Error{"the module could not be loaded again: " + loaded.fault->message};
    program.copies.push_back(loaded.module);
  }
  return program.copies[number - 1];
}

Result<LoadedCase> load_case(TrialState& state, device::Device& device, const Program& program,
                             const verify::Case& item, std::uint64_t seed,
                             std::optional<device::ModuleId> module) {
  const Task& task = state.request.task;
  WW_TRY(auto call, call_of(task, *item.size, item.variant));
  WW_TRY(auto trial, verify::make_trial(task, *item.size, item.variant, seed));
  std::vector<verify::Bytes> inputs;
  if (auto ready = state.ahead.take_inputs(item, seed)) {
    inputs = std::move(*ready);
  } else {
    const PartTimer timer(state, "inputs");
    WW_TRY(inputs, verify::generate_inputs(trial));
  }
  const PartTimer timer(state, "upload");
  WW_TRY(auto buffers, CaseBuffers::make(device, task, call, inputs));
  const auto plan = program.plans.find(call_key(call));
  ASSERT(plan != program.plans.end(), "every case was recorded");
  WW_TRY(auto replay,
         device.prepare(module.value_or(program.module), plan->second, buffers.bindings()));
  return LoadedCase{item,
                    std::move(call),
                    std::move(trial),
                    std::move(inputs),
                    std::move(buffers),
                    std::move(replay)};
}

Result<LoadedCase> copy_case(TrialState& state, const LoadedCase& original,
                             device::ModuleId module) {
  const PartTimer timer(state, "upload");
  WW_TRY(auto buffers, original.buffers.copy());
  const LaunchPlan& plan = state.candidate.plans.at(call_key(original.call));
  WW_TRY(auto replay, state.device->prepare(module, plan, buffers.bindings()));
  return LoadedCase{original.item,      original.call,    original.trial, {},
                    std::move(buffers), std::move(replay)};
}

Result<std::vector<verify::Expected>> expected_values(TrialState& state, const LoadedCase& loaded) {
  WW_TRY(const bool needed, verify::needs_expected(loaded.trial));
  if (!needed) return std::vector<verify::Expected>(loaded.inputs.size());
  if (auto ready = state.ahead.take_expected(loaded.item, loaded.trial.seed)) {
    return std::move(*ready);
  }
  const PartTimer timer(state, "reference");
  if (state.reference) return state.reference->run(loaded.trial, loaded.inputs);
  ASSERT(state.baseline.has_value(), "a task has a reference or a baseline");
  WW_TRY(auto baseline,
         load_case(state, *state.device, *state.baseline, loaded.item, loaded.trial.seed));
  WW_TRY(const auto report, baseline.replay->run({.poison_seed = loaded.trial.seed,
                                                  .limit_s = work_limits(state).run_s}));
  if (!report.faults.empty()) {
    return Error{"the task's baseline fails at " + describe_case(loaded.item) + ": " +
                 report.faults.front().message};
  }
  WW_TRY(const auto outputs, baseline.buffers.outputs());
  return verify::expected_from_outputs(loaded.trial, outputs);
}

Next end_with_faults(TrialState& state, const std::vector<device::Fault>& faults,
                     const verify::Case& item) {
  for (const device::Fault& fault : faults) {
    if (state.evaluation.findings.size() >= kMostFaultFindings) break;
    state.evaluation.findings.push_back({fault.kind, fault.line, fault.message});
  }
  const device::Fault& first = faults.front();
  std::string reason = describe_case(item) + ": ";
  if (first.line > 0) reason += fmt::format("line {}: ", first.line);
  return end_with(state, first.verdict, reason + first.message,
                  fault_feedback(faults, item, state.request.source));
}

Result<Fetched> fetch_results(const LoadedCase& loaded, bool with_inputs) {
  Fetched fetched;
  if (with_inputs) {
    WW_TRY(fetched.changed_inputs, loaded.buffers.changed_inputs());
  }
  WW_TRY(fetched.outputs, loaded.buffers.outputs());
  return fetched;
}

Result<std::optional<Wrong>> find_wrong(const verify::Trial& trial,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched) {
  if (!fetched.changed_inputs.empty()) {
    return std::optional(Wrong{.changed_input = fetched.changed_inputs.front()});
  }
  WW_TRY(auto mismatch, verify::check_outputs(trial, inputs, expected, fetched.outputs));
  if (!mismatch) return std::optional<Wrong>{};
  return std::optional(Wrong{.mismatch = std::move(*mismatch)});
}

namespace {

/// What may explain a wrong result: of the run, and of the compiler.
std::vector<Finding> possible_causes(const TrialState& state,
                                     const std::vector<Finding>& findings) {
  std::vector<Finding> causes;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(causes),
               [](const Finding& f) { return f.kind == "uninitialised_read"; });
  if (state.candidate.built.front_end == build::FrontEnd::nvcc) {
    for (const auto& suspect : build::suspect_lines(state.request.source)) {
      causes.push_back({"compiler_fault", suspect.line, suspect.message});
    }
  }
  return causes;
}

}  // namespace

Next end_with_wrong(TrialState& state, const verify::Case& item, const Wrong& wrong,
                    const std::vector<Finding>& findings) {
  if (!wrong.changed_input.empty()) {
    const std::string reason = "the input '" + wrong.changed_input + "' was changed by the call";
    return end_with(
        state, Verdict::mismatch, describe_case(item) + ": " + reason,
        "At " + describe_case(item) + ": " + reason + "; inputs must be left as they are.\n");
  }
  const verify::Mismatch& mismatch = wrong.mismatch;
  const std::vector<Finding> causes = possible_causes(state, findings);
  auto& all = state.evaluation.findings;
  all.insert(all.end(), causes.begin(), causes.end());
  return end_with(state, mismatch.verdict, mismatch_reason(mismatch, item),
                  mismatch_feedback(mismatch, item, causes, state.request.source));
}

Result<Next> check_results(TrialState& state, const LoadedCase& loaded,
                           std::span<const verify::Expected> expected,
                           const std::vector<Finding>& findings) {
  const PartTimer timer(state, "check");
  WW_TRY(const Fetched fetched, fetch_results(loaded));
  WW_TRY(const auto wrong, find_wrong(loaded.trial, loaded.inputs, expected, fetched));
  if (!wrong) return Next::go_on;
  return end_with_wrong(state, loaded.item, *wrong, findings);
}

void merge_resources(TrialState& state, const std::vector<KernelResources>& seen,
                     const LaunchPlan& plan) {
  for (const KernelResources& run : seen) {
    auto& all = state.evaluation.resources;
    auto known = std::find_if(all.begin(), all.end(),
                              [&](const KernelResources& r) { return r.kernel == run.kernel; });
    if (known == all.end()) {
      all.push_back(run);
      known = std::prev(all.end());
    }
    known->shared_bytes = run.shared_bytes;
    known->occupancy = run.occupancy;
    for (const PlanStep& step : plan.steps) {
      const auto* launch = std::get_if<KernelLaunch>(&step);
      if (launch == nullptr || launch->kernel != run.kernel || state.target.is_cuda) continue;
      // The compiler's register count is better than the machine's guess.
      const int threads = static_cast<int>(launch->block.x * launch->block.y * launch->block.z);
      known->occupancy =
          build::occupancy(state.target.facts, known->registers, known->shared_bytes, threads);
    }
  }
}

}  // namespace warpwright::evaluate
