// SPDX-License-Identifier: Apache-2.0
#include "evaluate/explain.h"

#include <algorithm>

#include "device/simt_findings.h"
#include "evaluate/judgement.h"
#include "evaluate/measure.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kCheckedWork = 125'000'000;  // warp instructions of a launch
// A run of so little that takes too long is a hang.
constexpr std::uint64_t kHangBytes = 64 << 10;
constexpr std::uint64_t kSeed = 20260101;

/// The size asked for if it can be checked, else the largest that can, up to `most_bytes`.
Result<const verify::Case*> checked_case(const Prepared& prepared, std::uint64_t most_bytes) {
  const verify::Case* best = nullptr;
  std::uint64_t most = 0;
  for (const verify::Case& item : prepared.cases) {
    // What is explained must not depend on what was drawn.
    const bool known = size_labelled(prepared.task(), item.size->label) == item.size;
    if (item.variant != nullptr || !known) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(prepared.task(), *item.size));
    if (bytes > most_bytes) continue;
    const bool asked =
        !prepared.request().sizes.empty() && item.size->label == prepared.request().sizes[0];
    if (asked) return &item;
    if (best != nullptr && bytes < most) continue;
    best = &item;
    most = bytes;
  }
  return best;
}

bool timed_out(const device::RunReport& report) {
  return std::any_of(report.faults.begin(), report.faults.end(),
                     [](const device::Fault& fault) { return fault.kind == "timeout"; });
}

Status run_checked(Session& session, std::uint64_t seed, Explanation& e) {
  for (const std::uint64_t most_bytes : {~std::uint64_t{0}, kHangBytes}) {
    WW_TRY(const verify::Case* item, checked_case(session.prepared, most_bytes));
    if (item == nullptr || item->size->label == e.checked_size) return {};
    WW_TRY(auto loaded, load_case(session, *item, seed));
    WW_TRY(auto report,
           loaded.replay->run({.poison_seed = seed, .work = kCheckedWork, .keep_launches = true}));
    e.checked_size = item->size->label;
    e.checked = std::move(report.launches);
    // What never became a launch has no launch report.
    for (const device::Fault& fault : report.faults)
      if (fault.kind == "invalid_launch" || fault.kind == "out_of_memory")
        e.evaluation.findings.push_back({fault.kind, fault.line, fault.message});
    if (!timed_out(report)) return {};
  }
  return {};
}

Status run_counted(Session& session, std::uint64_t seed, Explanation& e) {
  if (session.prepared.timed.empty()) return {};
  const TaskSize& size = *session.prepared.timed.back();
  WW_TRY(auto sampled, run_sampled(session, size, derived_seed(seed, 1)));
  device::RunReport& report = sampled.report;
  e.counted_size = size.label;
  e.counted = std::move(report.launches);
  if (report.faults.empty()) e.estimate_us = report.elapsed_us;
  merge_resources(session, report.resources, *sampled.plan);
  for (Finding& finding : report.findings) e.evaluation.findings.push_back(std::move(finding));
  return {};
}

}  // namespace

std::vector<simt::Fault> Explanation::faults() const {
  std::vector<simt::Fault> all;
  for (const device::LaunchDetail& launch : checked)
    all.insert(all.end(), launch.report.faults.begin(), launch.report.faults.end());
  std::stable_sort(all.begin(), all.end(), [](const simt::Fault& a, const simt::Fault& b) {
    return device::is_only_a_finding(a) < device::is_only_a_finding(b);
  });
  return all;
}

bool Explanation::clean() const {
  const auto all = faults();
  return evaluation.valid() && std::all_of(all.begin(), all.end(), device::is_only_a_finding);
}

namespace {

Outcome<Measured> run_both(Context& context, const JobRequest& request, Explanation& e) {
  WW_TRY(const Prepared prepared,
         prepare(std::make_shared<const Source>(Source{request}), context));
  WW_TRY(const auto lease, context.station.lease(prepared.target, context.deadline.remaining_s()));
  Session session{.prepared = prepared, .context = context, .device = *lease.device()};
  WW_TRY(const auto fault, load(session));
  if (fault) return Ended{fault->verdict, fault->message, fault->message};
  const std::uint64_t seed = request.seed.value_or(kSeed);
  WW_CHECK(run_checked(session, seed, e));
  WW_CHECK(run_counted(session, seed, e));
  return Measured{};
}

}  // namespace

Result<Explanation> explain(const JobRequest& request, const std::filesystem::path& scratch,
                            const StopSignal& stop) {
  JobRequest simulated = request;
  simulated.device = "simt";
  simulated.checks = "full";
  Station station;
  Context context = make_context(simulated, scratch, station, stop);
  Explanation e;
  e.task = request.task.name;
  e.source = request.source;
  WW_TRY(const auto resolved,
         device::resolve_device({.device = simulated.device, .target = simulated.target}));
  e.target = resolved.facts;
  auto end = run_both(context, simulated, e);
  if (!end.ok()) {
    const Halt halt = end.error();
    if (const auto* error = std::get_if<Error>(&halt)) return *error;
  }
  std::vector<Finding> findings = std::move(e.evaluation.findings);
  e.evaluation = evaluation_of(context, std::move(end));
  e.evaluation.findings.insert(e.evaluation.findings.end(), findings.begin(), findings.end());
  return e;
}

}  // namespace warpwright::evaluate
