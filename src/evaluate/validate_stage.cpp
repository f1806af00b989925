// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/one_way.h"
#include "device/simt_schedules.h"
#include "evaluate/bounds_run.h"
#include "evaluate/careful_run.h"
#include "evaluate/check_queue.h"
#include "evaluate/device_case.h"
#include "evaluate/feedback.h"
#include "evaluate/limits.h"
#include "evaluate/oracle_kit.h"
#include "evaluate/session.h"
#include "evaluate/work_check.h"
#include "torch/reference.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kExplainedWork = 100'000'000;  // warp instructions of a launch
constexpr std::uint64_t kScheduledBytes = 64 << 10;    // of a case under several schedules
constexpr std::uint64_t kLargeBytes = std::uint64_t{512} << 20;  // of a case on a GPU

/// The process of an earlier judgement of this task, or a new one.
Result<SharedReference> module_reference(const JobRequest& request,
                                         const std::filesystem::path& cache,
                                         const Context& context) {
  const std::string key =
      fmt::format("{} {} {} {}", torch::ModuleReference::key_of(request.task), request.unsafe,
                  cache.string(), static_cast<const void*>(&context.stop));
  return context.station.reference(key, [&]() -> Result<SharedReference> {
    WW_TRY(const auto sandbox, sandbox::Sandbox::open({.allow_none = request.unsafe}));
    WW_TRY(auto opened, torch::ModuleReference::open(request.task, sandbox,
                                                     {.cache = cache, .stop = &context.stop}));
    return SharedReference(std::move(opened));
  });
}

Status load_reference(const Prepared& prepared, const Context& context, Validated& validated) {
  const JobRequest& request = prepared.request();
  if (!has_reference(request.task) || request.timing_only) return {};
  const auto cache = cache_of(request, context) / "references";
  if (!request.task.torch.source.empty()) {
    WW_TRY(validated.reference, module_reference(request, cache / "torch", context));
    return {};
  }
  WW_TRY(auto reference, verify::Reference::load(request.task, {.cache = cache}));
  validated.reference = std::make_unique<verify::Reference>(std::move(reference));
  return {};
}

/// Arrays in local memory have ends that only the compiler knows.
Outcome<> look_at_bounds(const Prepared& prepared, Context& context) {
  const JobRequest& request = prepared.request();
  if (request.timing_only || request.sanitize == "off") return {};
  const CarefulRun careful = run_within_bounds(prepared, context);
  if (!careful.faults.empty())
    return faulted(prepared, careful.faults, careful.item, context.notes);
  if (!careful.why_not.empty())
    note(context, "the ends of local arrays were not checked: " + careful.why_not);
  if (!careful.remark.empty()) note(context, careful.remark);
  return {};
}

/// All that needs no GPU, while another candidate may have it. A kernel that is known to access
/// what it must not does not get that far.
Outcome<> look_before(const Prepared& prepared, Context& context, Validated& validated) {
  if (prepared.request().sanitize != "off") {
    const CarefulRun careful = run_carefully(prepared, context);
    if (!careful.faults.empty()) {
      return faulted(prepared, careful.faults, careful.item, context.notes);
    }
    validated.accesses_judged = careful.complete;
    validated.why_not_judged = careful.why_not;
    if (!careful.remark.empty()) note(context, careful.remark);
    WW_CHECK(look_at_bounds(prepared, context));
  }
  WW_CHECK(check_work(prepared, validated.reference.get(), context));
  WW_TRY(validated.kit, oracle_kit(prepared, context));
  WW_TRY(auto ahead, make_ahead(prepared, validated.reference.get(), context));
  validated.ahead = std::make_unique<Ahead>(std::move(ahead));
  WW_CHECK(may_go_on(context));
  return {};
}

Outcome<> open_and_load(const Prepared& prepared, Context& context, device::Device* device,
                        Validated& validated) {
  if (device == nullptr) {
    const PartTimer timer(context, "wait");
    WW_TRY(auto lease, context.station.lease(prepared.target, kLongestWaitS));
    context.deadline.postpone(lease.waited_s());
    device = lease.device();
    validated.hold.emplace(std::move(lease), context.notes);
  }
  context.on_gpu = prepared.target.is_cuda;
  context.notes.device = device->info().description;
  validated.session = std::make_unique<Session>(Session{.prepared = prepared,
                                                        .context = context,
                                                        .device = *device,
                                                        .reference = validated.reference.get(),
                                                        .ahead = validated.ahead.get(),
                                                        .kit = validated.kit.get()});
  validated.checks = std::make_unique<CheckQueue>(*validated.session);
  WW_TRY(const auto fault, load(*validated.session));
  if (fault) return Ended{fault->verdict, fault->message, fault->message + "\n"};
  return {};
}

/// A GPU says that something went wrong, not where: the SIMT machine finds the line, if it can.
std::vector<device::Fault> explained(const Session& session, std::vector<device::Fault> faults,
                                     const verify::Case& item, std::uint64_t seed) {
  constexpr std::uint64_t kSmallBytes = 8 << 20;
  const auto bytes = footprint_bytes(session.task(), *item.size);
  if (!session.prepared.target.is_cuda || !bytes.ok() || *bytes > kSmallBytes) return faults;
  if (faults.front().kind == "timeout") return faults;  // it would not end there either
  auto opinion = second_opinion(session.prepared, session.context, "full");
  if (!opinion.ok()) return faults;
  auto loaded = load_case(opinion->session, item, seed);
  if (!loaded.ok()) return faults;
  auto report = loaded->replay->run({.poison_seed = seed, .work = kExplainedWork});
  if (!report.ok() || report->faults.empty()) return faults;
  // The verdict is the hardware's; the place is the machine's.
  for (device::Fault& fault : report->faults) fault.verdict = faults.front().verdict;
  return std::move(report->faults);
}

/// What to add to a fault of a run that was not in order.
std::string under_schedule(const simt::Schedule& schedule) {
  if (schedule.kind == simt::Schedule::Kind::forward) return {};
  return " (under the schedule " + simt::name_of(schedule) + "; in order there was no fault)";
}

/// Whether a check of the SIMT machine gave up because there was too much to follow: something that
/// a kernel can bring about.
bool was_overrun(const simt::Unchecked& fact) {
  constexpr std::array<std::string_view, 5> kKinds = {
      "order_in_global_memory", "order_between_blocks", "crowded_words", "memory_of_checks",
      "blocks_beyond_the_check"};
  return std::find(kKinds.begin(), kKinds.end(), fact.kind) != kKinds.end();
}

/// One run of a case.
Outcome<device::RunReport> run_case(Validated& validated, LoadedCase& loaded,
                                    const device::RunOptions& options) {
  Session& session = *validated.session;
  device::RunReport report;
  {
    const PartTimer timer(session.context, "run");
    WW_TRY(report, loaded.replay->run(options));
  }
  for (device::Fault& fault : report.faults) fault.message += under_schedule(options.schedule);
  if (!report.faults.empty()) {
    // An earlier case may be wrong, and says more about the candidate.
    WW_CHECK(validated.checks->conclude_all());
    const auto faults = explained(session, report.faults, loaded.item, loaded.instance.seed);
    return faulted(session.prepared, faults, loaded.item, session.context.notes);
  }
  merge_resources(session, report.resources,
                  session.prepared.candidate.plans.at(call_key(loaded.call)));
  for (const simt::Unchecked& fact : report.unchecked) {
    note(session.context, "not checked: " + fact.reason);
    if (was_overrun(fact)) validated.overrun = fact.reason;
  }
  if (std::none_of(report.unchecked.begin(), report.unchecked.end(), was_overrun))
    validated.ran_checked = true;
  return report;
}

/// What is measured on a device that estimates comes from a run whose results are checked.
bool is_estimated_here(const Session& session, const verify::Case& item) {
  const auto& timed = session.prepared.timed;
  return session.device.info().time_source == TimeSource::estimated && item.variant == nullptr &&
         std::find(timed.begin(), timed.end(), item.size) != timed.end();
}

std::string before_text(device::RunOptions::Outputs outputs) {
  using Outputs = device::RunOptions::Outputs;
  if (outputs == Outputs::zeros) return ", with zeros in its outputs beforehand";
  return outputs == Outputs::last ? ", with results of the call before in a part of its outputs"
                                  : "";
}

/// Small cases once more, under other schedules of the SIMT machine: what is right must be right
/// under each of them.
Outcome<> run_under_schedules(Validated& validated, LoadedCase& loaded, std::uint64_t forward,
                              CheckQueue::Results& results) {
  Session& session = *validated.session;
  const auto bytes = footprint_bytes(session.task(), *loaded.item.size);
  if (session.device.info().time_source != TimeSource::estimated || !bytes.ok() ||
      *bytes > kScheduledBytes || forward > kScheduledWork) {
    return {};
  }
  using Outputs = device::RunOptions::Outputs;
  // What an output holds before a call varies with the schedule: all kinds at every small case.
  constexpr std::array kOutputs = {Outputs::last, Outputs::zeros, Outputs::random};
  std::uint64_t number = 0;
  const device::Lanes lanes =
      session.prepared.target.facts.amd.empty() ? device::Lanes::apart : device::Lanes::together;
  for (const simt::Schedule& schedule : device::other_schedules(loaded.instance.seed, lanes)) {
    auto options = run_options(session.prepared, loaded.item,
                               one_way(loaded.instance.seed, "schedule run", number));
    options.schedule = schedule;
    options.outputs = kOutputs[number++ % kOutputs.size()];
    options.work = std::min(options.work, device::work_under_other_schedules(forward));
    WW_CHECK(run_case(validated, loaded, options));
    const PartTimer timer(session.context, "fetch");
    WW_TRY(auto fetched, fetch_results(loaded, false));
    results.runs.push_back(std::move(fetched));
    results.under.resize(results.runs.size());
    results.under.back() = {simt::name_of(schedule), before_text(options.outputs)};
  }
  return {};
}

device::RunOptions::Outputs drawn_outputs(std::uint64_t seed) {
  using Outputs = device::RunOptions::Outputs;
  constexpr std::array kOutputs = {Outputs::last, Outputs::zeros, Outputs::random};
  return kOutputs[one_way(seed, "outputs before") % kOutputs.size()];
}

/// Adds what its runs did to `work`.
Outcome<> validate_case(Validated& validated, std::uint64_t number, std::uint64_t& work) {
  Session& session = *validated.session;
  const verify::Case& item = session.prepared.cases[number];
  const std::uint64_t seed = derived_seed(session.prepared.seed, number);
  WW_TRY(auto loaded, load_case(session, item, seed));
  WW_TRY(auto expected, expected_values(session, loaded));
  const bool estimated = is_estimated_here(session, item);
  // Every other case a second time: what an output held before must not matter.
  CheckQueue::Results results;
  const std::uint64_t last = estimated ? 1 : number % 2;
  std::uint64_t forward = 0;
  for (std::uint64_t run = 0; run <= last; ++run) {
    auto options = run_options(session.prepared, item, run == 0 ? seed : derived_seed(seed, run));
    options.timed = estimated && run == last;
    if (run > 0 && !options.timed) options.outputs = drawn_outputs(seed);
    WW_TRY(auto report, run_case(validated, loaded, options));
    work += report.warp_instructions;
    const PartTimer timer(session.context, "fetch");
    WW_TRY(auto fetched, fetch_results(loaded, run == last));
    results.runs.push_back(std::move(fetched));
    if (run == 0) results.findings = report.findings;
    forward = std::max(forward, report.warp_instructions);
    if (options.timed) validated.estimates[item.size] = std::move(report);
  }
  WW_CHECK(run_under_schedules(validated, loaded, forward, results));
  return validated.checks->add(loaded, std::move(expected), std::move(results));
}

/// The case that was run last, and whose checks may still be under way.
using Unconcluded = std::optional<DeviceCase>;

Outcome<> conclude(Unconcluded& last) {
  if (last) WW_CHECK(last->conclude());
  last.reset();
  return {};
}

/// The same on the device. The case before it is concluded while nothing of this one has run: a
/// fault would leave it undecided. Two large ones are never there at once.
Outcome<> validate_on_device(Validated& validated, std::uint64_t number, Unconcluded& last) {
  Session& session = *validated.session;
  const verify::Case& item = session.prepared.cases[number];
  const std::uint64_t seed = derived_seed(session.prepared.seed, number);
  WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *item.size));
  if (bytes > kLargeBytes) WW_CHECK(conclude(last));
  WW_TRY(DeviceCase next, DeviceCase::open(session, item, seed));
  WW_CHECK(conclude(last));
  for (std::uint64_t run = 0; run <= number % 2; ++run) {
    WW_CHECK(next.before());
    const auto options =
        run_options(session.prepared, item, run == 0 ? seed : derived_seed(seed, run));
    WW_TRY(auto report, run_case(validated, next.loaded(), options));
    WW_CHECK(next.after(std::move(report.findings)));
  }
  last.emplace(std::move(next));
  if (bytes > kLargeBytes) WW_CHECK(conclude(last));
  return {};
}

/// The verdict on a candidate whose small calls alone do more than all of them should.
Ended too_much_work(const Prepared& prepared, std::size_t done, std::uint64_t most) {
  const std::string reason =
      fmt::format("the calls of {} of {} validation cases took more than {} warp instructions",
                  done, prepared.cases.size(), most);
  return {Verdict::timeout, reason, reason + ".\n"};
}

}  // namespace

Outcome<Validated> validate_stage(const Prepared& prepared, Context& context,
                                  device::Device* device) {
  Validated validated;
  WW_CHECK(load_reference(prepared, context, validated));
  context.notes.seed = fmt::format("{:#018x}", prepared.seed);
  if (prepared.target.is_cuda && !prepared.request().timing_only) {
    WW_CHECK(look_before(prepared, context, validated));
  }
  WW_CHECK(open_and_load(prepared, context, device, validated));
  const std::uint64_t most = work_limits(prepared.request(), prepared.target).validate_work;
  std::uint64_t work = 0;
  // Device code could ask whether a buffer ends with its pages.
  const device::AllocatingFor use(validated.session->device, device::BufferUse::validated);
  Unconcluded last;
  for (std::size_t i = 0; i < prepared.cases.size(); ++i) {
    WW_CHECK(may_go_on(context));
    WW_TRY(const bool on_device, validated_on_device(prepared, prepared.cases[i]));
    if (on_device) {
      WW_CHECK(validate_on_device(validated, i, last));
      continue;
    }
    if (most > 0 && work > most) {
      WW_CHECK(validated.checks->conclude_all());
      return too_much_work(prepared, i, most);
    }
    WW_CHECK(validate_case(validated, i, work));
  }
  WW_CHECK(conclude(last));
  if (!prepared.target.is_cuda) {
    WW_CHECK(validated.checks->conclude_all());
    // A check that gave up at some sizes has seen the others; one that always did has seen nothing.
    if (!validated.ran_checked && !validated.overrun.empty())
      context.notes.unchecked.push_back("in no case: " + validated.overrun);
    WW_CHECK(look_at_bounds(prepared, context));
  }
  // On a GPU, results may be checked while the kernel is timed.
  const bool late = prepared.target.is_cuda;
  WW_CHECK(late ? validated.checks->conclude_ready() : validated.checks->conclude_all());
  return validated;
}

}  // namespace warpwright::evaluate
