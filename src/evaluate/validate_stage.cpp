// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "evaluate/careful_run.h"
#include "evaluate/check_queue.h"
#include "evaluate/feedback.h"
#include "evaluate/limits.h"
#include "evaluate/session.h"
#include "evaluate/work_check.h"

namespace warpwright::evaluate {

namespace {

Status load_reference(const Prepared& prepared, const Context& context, Validated& validated) {
  const JobRequest& request = prepared.request();
  if (request.task.reference_source.empty() || request.timing_only) return {};
  WW_TRY(auto reference, verify::Reference::load(
                             request.task, {.cache = cache_of(request, context) / "references"}));
  validated.reference = std::make_unique<verify::Reference>(std::move(reference));
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
  }
  WW_CHECK(check_work(prepared, validated.reference.get(), context));
  WW_TRY(auto ahead, make_ahead(prepared, validated.reference.get(), context));
  validated.ahead = std::make_unique<Ahead>(std::move(ahead));
  return may_go_on(context);
}

Outcome<> open_and_load(const Prepared& prepared, Context& context, device::Device* device,
                        Validated& validated) {
  if (device == nullptr) {
    const PartTimer timer(context, "wait");
    WW_TRY(auto lease, context.station.lease(prepared.target, context.deadline.remaining_s()));
    context.deadline.postpone(lease.waited_s());
    device = lease.device();
    validated.hold.emplace(std::move(lease), context.notes);
  }
  context.notes.device = device->info().description;
  validated.session = std::make_unique<Session>(Session{.prepared = prepared,
                                                        .context = context,
                                                        .device = *device,
                                                        .reference = validated.reference.get(),
                                                        .ahead = validated.ahead.get()});
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
  auto report = loaded->replay->run({.poison_seed = seed, .limit_s = 4});
  if (!report.ok() || report->faults.empty()) return faults;
  // The verdict is the hardware's; the place is the machine's.
  for (device::Fault& fault : report->faults) fault.verdict = faults.front().verdict;
  return std::move(report->faults);
}

/// A simulated run of a large size that takes too long is a limit of ours, not a hang: small sizes
/// have ended before it.
bool too_large_to_judge(Session& session, const device::RunReport& report,
                        const verify::Case& item) {
  const Prepared& prepared = session.prepared;
  const std::uint64_t hang_bytes = work_limits(prepared.request(), prepared.target).hang_bytes;
  if (hang_bytes == 0 || report.faults.empty() || report.faults.front().kind != "timeout") {
    return false;
  }
  const auto bytes = footprint_bytes(session.task(), *item.size);
  if (!bytes.ok() || *bytes <= hang_bytes) return false;
  note(session.context, describe_case(item) + " was not checked: too much work to simulate");
  return true;
}

/// One run of a case. Absent: the machine could not judge it.
Outcome<std::optional<device::RunReport>> run_case(Validated& validated, LoadedCase& loaded,
                                                   std::uint64_t poison_seed) {
  Session& session = *validated.session;
  Context& context = session.context;
  device::RunReport report;
  {
    const PartTimer timer(context, "run");
    const double limit_s = run_limit_s(session.prepared, loaded.item, context);
    WW_TRY(report, loaded.replay->run({.poison_seed = poison_seed, .limit_s = limit_s}));
  }
  if (too_large_to_judge(session, report, loaded.item)) return std::optional<device::RunReport>{};
  if (!report.faults.empty()) {
    // An earlier case may be wrong, and says more about the candidate.
    WW_CHECK(validated.checks->conclude_all());
    const auto faults = explained(session, report.faults, loaded.item, loaded.trial.seed);
    return faulted(session.prepared, faults, loaded.item, context.notes);
  }
  merge_resources(session, report.resources,
                  session.prepared.candidate.plans.at(call_key(loaded.call)));
  return std::optional(std::move(report));
}

Outcome<> validate_case(Validated& validated, std::uint64_t number) {
  Session& session = *validated.session;
  const verify::Case& item = session.prepared.cases[number];
  const std::uint64_t seed = derived_seed(session.prepared.seed, number);
  WW_TRY(auto loaded, load_case(session, item, seed));
  WW_TRY(auto expected, expected_values(session, loaded));
  // Every other case a second time: what an output held before must not matter.
  CheckQueue::Results results;
  const std::uint64_t last = number % 2;
  for (std::uint64_t run = 0; run <= last; ++run) {
    WW_TRY(const auto report,
           run_case(validated, loaded, run == 0 ? seed : derived_seed(seed, run)));
    if (!report) break;
    const PartTimer timer(session.context, "fetch");
    WW_TRY(auto fetched, fetch_results(loaded, run == last));
    results.runs.push_back(std::move(fetched));
    if (run == 0) results.findings = report->findings;
  }
  return validated.checks->add(loaded, std::move(expected), std::move(results));
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
  const Deadline budget(work_limits(prepared.request(), prepared.target).validate_s);
  for (std::size_t i = 0; i < prepared.cases.size(); ++i) {
    WW_CHECK(may_go_on(context));
    if (budget.passed() && !prepared.target.is_cuda) {
      note(context, fmt::format("{} of {} validation cases were left out for want of time",
                                prepared.cases.size() - i, prepared.cases.size()));
      break;
    }
    WW_CHECK(validate_case(validated, i));
  }
  // On a GPU, results may be checked while the kernel is timed.
  const bool late = prepared.target.is_cuda;
  WW_CHECK(late ? validated.checks->conclude_ready() : validated.checks->conclude_all());
  return validated;
}

}  // namespace warpwright::evaluate
