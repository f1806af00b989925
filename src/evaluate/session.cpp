// SPDX-License-Identifier: Apache-2.0
#include "evaluate/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "build/compiler_faults.h"
#include "build/resources.h"
#include "evaluate/feedback.h"
#include "evaluate/limits.h"
#include "verify/check.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostFaultFindings = 8;

Result<device::Loaded> load_code(device::Device& device, const Program& program) {
  return device.load(
      {.ptx = program.code.ptx, .cubin = program.code.cubin, .source_file = "candidate.cu"});
}

Result<LoadedCase> load_call(Session& session, const Program& program, device::ModuleId module,
                             const verify::Case& item, std::uint64_t seed) {
  WW_TRY(auto call, call_of(session.task(), *item.size, item.variant));
  WW_TRY(auto instance, verify::make_instance(session.task(), *item.size, item.variant, seed));
  WW_TRY(auto inputs, inputs_of(session, instance, item));
  const PartTimer timer(session.context, "upload");
  WW_TRY(auto buffers, CaseBuffers::make(session.device, session.task(), call, inputs));
  const auto plan = program.plans.find(call_key(call));
  ASSERT(plan != program.plans.end(), "every case was recorded");
  WW_TRY(auto replay, session.device.prepare(module, plan->second, buffers.bindings()));
  return LoadedCase{item,
                    std::move(call),
                    std::move(instance),
                    std::move(inputs),
                    std::move(buffers),
                    std::move(replay)};
}

}  // namespace

Result<std::vector<verify::Bytes>> inputs_of(Session& session, const verify::Instance& instance,
                                             const verify::Case& item) {
  if (session.ahead != nullptr) {
    if (auto ready = session.ahead->take_inputs(item, instance.seed)) return std::move(*ready);
  }
  const PartTimer timer(session.context, "inputs");
  return verify::generate_inputs(instance);
}

Result<std::optional<device::Fault>> load(Session& session) {
  WW_TRY(const auto loaded, load_code(session.device, session.prepared.candidate));
  session.module = loaded.module;
  if (loaded.fault || !session.prepared.baseline) return loaded.fault;
  WW_TRY(const auto own, load_code(session.device, *session.prepared.baseline));
  if (own.fault) return Error{"the task's baseline cannot be loaded: " + own.fault->message};
  session.baseline = own.module;
  return std::optional<device::Fault>{};
}

Result<SecondOpinion> second_opinion(const Prepared& prepared, Context& context,
                                     CheckLevel checks) {
  const device::ResolvedDevice simt{.choice = {.device = "simt", .checks = checks},
                                    .facts = prepared.target.facts};
  WW_TRY(auto machine, device::open_device(simt, 0));
  Session session{.prepared = prepared, .context = context, .device = *machine};
  WW_TRY(const auto unloadable, load(session));
  if (unloadable) return Error{unloadable->message};
  return SecondOpinion{std::move(machine), std::move(session)};
}

Result<LoadedCase> load_case(Session& session, const verify::Case& item, std::uint64_t seed,
                             std::optional<device::ModuleId> module) {
  return load_call(session, session.prepared.candidate, module.value_or(session.module), item,
                   seed);
}

Result<LoadedCase> load_place(Session& session, const verify::Case& item, std::uint64_t seed,
                              device::ModuleId module) {
  WW_TRY(auto call, call_of(session.task(), *item.size, item.variant));
  WW_TRY(auto instance, verify::make_instance(session.task(), *item.size, item.variant, seed));
  WW_TRY(auto buffers, CaseBuffers::blank(session.device, session.task(), call));
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, session.device.prepare(module, plan, buffers.bindings()));
  return LoadedCase{item, std::move(call),    std::move(instance),
                    {},   std::move(buffers), std::move(replay)};
}

Result<LoadedCase> copy_case(Session& session, const LoadedCase& original,
                             device::ModuleId module) {
  const PartTimer timer(session.context, "upload");
  WW_TRY(auto buffers, original.buffers.copy());
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(original.call));
  WW_TRY(auto replay, session.device.prepare(module, plan, buffers.bindings()));
  return LoadedCase{original.item,      original.call,    original.instance, {},
                    std::move(buffers), std::move(replay)};
}

Result<device::ModuleId> module_copy(Session& session, std::size_t number) {
  if (number == 0 || !session.prepared.target.is_cuda) return session.module;
  while (session.copies.size() < number) {
    WW_TRY(const auto loaded, load_code(session.device, session.prepared.candidate));
    if (loaded.fault)
      return Error{"the module could not be loaded again: " + loaded.fault->message};
    session.copies.push_back(loaded.module);
  }
  return session.copies[number - 1];
}

Result<std::vector<verify::Expected>> expected_values(Session& session, const LoadedCase& loaded) {
  WW_TRY(const bool needed, verify::needs_expected(loaded.instance));
  if (!needed) return std::vector<verify::Expected>(loaded.inputs.size());
  if (session.ahead != nullptr) {
    auto ready = session.ahead->take_expected(loaded.item, loaded.instance.seed);
    if (ready) return std::move(*ready);
  }
  const PartTimer timer(session.context, "reference");
  if (session.reference != nullptr) return session.reference->run(loaded.instance, loaded.inputs);
  if (session.baseline < 0) return Error{"the task has no reference"};
  const Prepared& prepared = session.prepared;
  WW_TRY(auto baseline, load_call(session, *prepared.baseline, session.baseline, loaded.item,
                                  loaded.instance.seed));
  WW_TRY(const auto report,
         baseline.replay->run(run_options(prepared, loaded.item, loaded.instance.seed)));
  if (!report.faults.empty()) {
    return Error{"the task's baseline fails at " + describe_case(loaded.item) + ": " +
                 report.faults.front().message};
  }
  WW_TRY(const auto outputs, baseline.buffers.outputs());
  return verify::expected_from_outputs(loaded.instance, outputs);
}

Ended faulted(const Prepared& prepared, const std::vector<device::Fault>& faults,
              const verify::Case& item, Notes& notes) {
  for (const device::Fault& fault : faults) {
    if (notes.findings.size() >= kMostFaultFindings) break;
    notes.findings.push_back({fault.kind, fault.line, fault.message});
  }
  const device::Fault& first = faults.front();
  std::string reason = describe_case(item) + ": ";
  if (first.line > 0) reason += fmt::format("line {}: ", first.line);
  return {first.verdict, reason + first.message,
          fault_feedback(faults, item, prepared.request().source)};
}

Result<Fetched> fetch_results(const LoadedCase& loaded, bool with_inputs) {
  Fetched fetched;
  if (with_inputs) {
    WW_TRY(fetched.changed_inputs, loaded.buffers.changed_inputs());
  }
  WW_TRY(fetched.outputs, loaded.buffers.outputs());
  return fetched;
}

Result<std::optional<Wrong>> find_wrong(const verify::Instance& instance,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched) {
  if (!fetched.changed_inputs.empty()) {
    return std::optional(Wrong{.changed_input = fetched.changed_inputs.front()});
  }
  WW_TRY(auto mismatch, verify::check_outputs(instance, inputs, expected, fetched.outputs));
  if (!mismatch) return std::optional<Wrong>{};
  return std::optional(Wrong{.mismatch = std::move(*mismatch)});
}

namespace {

using Spreads = std::vector<std::optional<verify::Spread>>;

// Of results of few numbers one draw of inputs says little about how far roundings can be off.
constexpr std::uint64_t kFewElements = 4096;
constexpr std::uint64_t kOtherDraws = 7;

// They take no turn on the GPU: inputs that the reference may want it for are not drawn again.
constexpr std::uint64_t kSmallInputs = std::uint64_t{16} << 20;
// The largest error that other draws can excuse, over the root mean square of what is expected.
constexpr double kMostExcused = 0.1;

Result<bool> is_worth_drawing(const verify::Instance& instance,
                              std::span<const verify::Bytes> inputs) {
  std::uint64_t all = 0, bytes = 0;
  for (const verify::Bytes& input : inputs) bytes += input.size();
  if (bytes > kSmallInputs) return false;
  for (const auto& argument : instance.task->arguments) {
    if (!is_buffer(argument) || argument.role == ArgumentRole::input) continue;
    WW_TRY(const auto count, element_count(argument, instance.values));
    all += count;
  }
  return all <= kFewElements;
}

/// How far off the module is in its own types on these inputs; nothing where nobody can say.
Spreads own_errors(const verify::ExpectedSource& reference, const verify::Instance& instance,
                   std::span<const verify::Bytes> inputs,
                   std::span<const verify::Expected> expected) {
  const auto rounded = reference.in_own_types(instance, inputs);
  if (!rounded.ok() || rounded->empty()) return {};
  auto spreads = verify::spreads_of(instance, inputs, expected, *rounded);
  return spreads.ok() ? std::move(*spreads) : Spreads{};
}

/// The larger of both, output by output.
void take_worst(Spreads& all, const Spreads& more) {
  for (std::size_t i = 0; i < std::min(all.size(), more.size()); ++i) {
    if (!all[i] || !more[i]) continue;
    all[i]->worst = std::max(all[i]->worst, more[i]->worst);
    all[i]->beyond = std::max(all[i]->beyond, more[i]->beyond);
    all[i]->share = std::max(all[i]->share, more[i]->share);
  }
}

/// The same for another draw of the same size and kind of inputs.
Result<Spreads> errors_of_draw(const verify::ExpectedSource& reference,
                               const verify::Instance& instance, std::uint64_t number) {
  WW_TRY(const auto other, verify::make_instance(*instance.task, *instance.size, instance.variant,
                                                 instance.seed + number));
  WW_TRY(const auto inputs, verify::generate_inputs(other));
  WW_TRY(const auto expected, reference.run(other, inputs));
  return own_errors(reference, other, inputs, expected);
}

/// Whether results are off as the module is in its own types.
Result<bool> is_off_as_module(const verify::ExpectedSource& reference,
                              const verify::Instance& instance,
                              std::span<const verify::Bytes> inputs,
                              std::span<const verify::Expected> expected,
                              std::span<const verify::Bytes> outputs) {
  Spreads theirs = own_errors(reference, instance, inputs, expected);
  if (theirs.empty()) return false;  // nobody to compare with
  WW_TRY(bool alike, verify::is_rounding(instance, inputs, expected, outputs, theirs));
  if (alike) return true;
  WW_TRY(const Spreads ours, verify::spreads_of(instance, inputs, expected, outputs));
  WW_TRY(const bool worth, is_worth_drawing(instance, inputs));
  const bool little = std::all_of(ours.begin(), ours.end(), [](const auto& spread) {
    return !spread || (std::isfinite(spread->worst) && spread->share <= kMostExcused);
  });
  for (std::uint64_t draw = 1; worth && little && !alike && draw <= kOtherDraws; ++draw) {
    const auto more = errors_of_draw(reference, instance, draw);
    if (!more.ok()) return false;
    take_worst(theirs, *more);
    WW_TRY(alike, verify::is_rounding(instance, inputs, expected, outputs, theirs));
  }
  return alike;
}

}  // namespace

Result<std::optional<Wrong>> find_wrong(const verify::ExpectedSource* reference,
                                        const verify::Instance& instance,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched, std::string& remark) {
  WW_TRY(auto wrong, find_wrong(instance, inputs, expected, fetched));
  if (!wrong || !wrong->changed_input.empty() || reference == nullptr) return wrong;
  WW_TRY(const bool alike,
         is_off_as_module(*reference, instance, inputs, expected, fetched.outputs));
  if (!alike) return wrong;
  remark = fmt::format(
      "{}: {} of {} elements of '{}' are beyond the tolerance, as far and about as many as of the "
      "module in its own types",
      instance.size->label, wrong->mismatch.wrong, wrong->mismatch.total, wrong->mismatch.argument);
  return std::optional<Wrong>{};
}

namespace {

/// What may explain a wrong result: of the run, and of the compiler.
std::vector<Finding> possible_causes(const Prepared& prepared,
                                     const std::vector<Finding>& findings) {
  std::vector<Finding> causes;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(causes),
               [](const Finding& f) { return f.kind == "uninitialised_read"; });
  if (prepared.candidate.code.front_end == build::FrontEnd::nvcc) {
    for (const auto& suspect : build::suspect_lines(prepared.request().source)) {
      causes.push_back({"compiler_fault", suspect.line, suspect.message});
    }
  }
  return causes;
}

std::string against_tolerance(const verify::Mismatch& mismatch) {
  if (mismatch.first.empty() || mismatch.first.front().allowed < 0) return {};
  const verify::WrongElement& first = mismatch.first.front();
  return fmt::format(" The error at index {} is {:.3g}, and {:.3g} is allowed.", first.index,
                     std::fabs(first.got - first.expected), first.allowed);
}

}  // namespace

Ended mismatched(const Prepared& prepared, const verify::Case& item, const Wrong& wrong,
                 const std::vector<Finding>& findings, Notes& notes) {
  if (!wrong.changed_input.empty()) {
    const std::string reason = "the input '" + wrong.changed_input + "' was changed by the call";
    return {Verdict::mismatch, describe_case(item) + ": " + reason,
            "At " + describe_case(item) + ": " + reason + "; inputs must be left as they are.\n"};
  }
  const verify::Mismatch& mismatch = wrong.mismatch;
  const std::vector<Finding> causes = possible_causes(prepared, findings);
  notes.findings.insert(notes.findings.end(), causes.begin(), causes.end());
  std::string reason = mismatch_reason(mismatch, item);
  // Whoever writes a task must see how far its baseline is off; candidates are not told tolerances.
  if (prepared.request().is_baseline) reason += against_tolerance(mismatch);
  return {mismatch.verdict, std::move(reason),
          mismatch_feedback(mismatch, item, causes, prepared.request().source)};
}

Outcome<> check_results(Session& session, const LoadedCase& loaded,
                        std::span<const verify::Expected> expected,
                        const std::vector<Finding>& findings) {
  const PartTimer timer(session.context, "check");
  WW_TRY(const Fetched fetched, fetch_results(loaded));
  std::string remark;
  WW_TRY(const auto wrong,
         find_wrong(session.reference, loaded.instance, loaded.inputs, expected, fetched, remark));
  if (!remark.empty()) note(session.context, remark);
  if (!wrong) return {};
  return mismatched(session.prepared, loaded.item, *wrong, findings, session.context.notes);
}

void merge_resources(const Session& session, const std::vector<KernelResources>& seen,
                     const LaunchPlan& plan) {
  const device::ResolvedDevice& target = session.prepared.target;
  for (const KernelResources& run : seen) {
    auto& all = session.context.notes.resources;
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
      if (launch == nullptr || launch->kernel != run.kernel || target.is_cuda) continue;
      // The compiler's register count is better than the machine's guess.
      const int threads = static_cast<int>(launch->block.x * launch->block.y * launch->block.z);
      known->occupancy =
          build::occupancy(target.facts, known->registers, known->shared_bytes, threads);
    }
  }
}

}  // namespace warpwright::evaluate
