// SPDX-License-Identifier: Apache-2.0
// Times on the SIMT machine. A size that validation ran as a whole has its time from there. Larger
// ones run a part of their blocks; what these write is checked where a reference is affordable and
// blocks do not depend on others. Else the whole call is run and checked.
#include <fmt/format.h>

#include <algorithm>

#include "evaluate/limits.h"
#include "evaluate/measure.h"
#include "evaluate/written.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kEstimatedElements = std::uint64_t{1} << 20;
// Some blocks write less than others, and a part of them stands for all.
constexpr double kEnoughWritten = 0.95;
// Of what blocks that were run should have written; random bits hit a result now and then.
constexpr double kWholeShare = 0.9995;
constexpr std::uint64_t kWholeWork = 500'000'000;  // warp instructions of a launch
// Where blocks have uneven numbers of tiles, the few that were run may all have the smaller one.
constexpr std::uint64_t kMoreBlocks = 4, kMostBlocks = 16;  // times as many

void add_findings(Notes& notes, const std::vector<Finding>& findings) {
  auto& all = notes.findings;
  for (const Finding& finding : findings) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.line == finding.line;
    });
    if (!known) all.push_back(finding);
  }
}

/// What a call writes at least: its outputs hold arbitrary bits before it.
Result<double> least_written(const Task& task, const TaskSize& size) {
  WW_TRY(const auto call, call_of(task, size, nullptr));
  double bytes = 0;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (!is_buffer(argument) || argument.role != ArgumentRole::output) continue;
    bytes += static_cast<double>(call.arguments[i].buffer_bytes);
  }
  return bytes;
}

bool is_own_kernel(const Session& session) {
  const JobRequest& request = session.prepared.request();
  return request.is_baseline || request.timing_only;
}

Result<bool> does_too_little(const Session& session, const Sized& sized,
                             const device::RunReport& report) {
  if (is_own_kernel(session)) return false;
  if (report.elapsed_us < sized.roof.impossible_us) return true;
  WW_TRY(const double least, least_written(session.task(), *sized.size));
  return report.written_bytes < kEnoughWritten * least;
}

/// Whether a reference of this size is affordable, whatever the candidate.
Result<bool> is_comparable(const Session& session, const Sized& sized) {
  const Prepared& prepared = session.prepared;
  if (is_own_kernel(session) || session.reference == nullptr) return false;
  const WorkLimits limits = work_limits(prepared.request(), prepared.target);
  WW_TRY(const std::uint64_t bytes, footprint_bytes(prepared.task(), *sized.size));
  WW_TRY(const double work, flops(prepared.task(), *sized.size));
  if (bytes > limits.sampled_bytes || work > limits.sampled_flops) return false;
  WW_TRY(const auto instance, verify::make_instance(prepared.task(), *sized.size, nullptr, 0));
  return verify::needs_expected(instance);
}

bool is_endless(const device::RunReport& report) {
  return std::any_of(report.faults.begin(), report.faults.end(),
                     [](const device::Fault& fault) { return fault.verdict == Verdict::timeout; });
}

/// The time of a size, and how far the results behind it were checked.
struct Estimate {
  device::RunReport report;
  Checked checked = "none";
};

/// The whole call, and whether its results are right. Nothing where that is too much work here.
Outcome<std::optional<Estimate>> run_whole(Session& session, const Sized& sized) {
  const verify::Case item{sized.size, nullptr};
  const std::uint64_t seed = timed_seed(session.prepared, sized.number, 0);
  WW_TRY(auto loaded, load_case(session, item, seed));
  WW_TRY(auto whole,
         loaded.replay->run(
             {.poison_seed = derived_seed(seed, 0), .timed = true, .work = kWholeWork}));
  if (is_endless(whole)) {
    session.context.notes.unchecked.push_back(
        fmt::format("size {}: a part of its blocks cannot be checked on its own, and all of them "
                    "take more than {} warp instructions",
                    sized.size->label, kWholeWork));
    return std::optional<Estimate>{};
  }
  if (!whole.faults.empty()) {
    return faulted(session.prepared, whole.faults, item, session.context.notes);
  }
  WW_TRY(const auto expected, expected_values(session, loaded));
  WW_CHECK(check_results(session, loaded, expected, whole.findings));
  WW_CHECK(outcome_of(impossible(sized, whole.elapsed_us)));
  return std::optional(Estimate{std::move(whole), "all"});
}

/// Whether a part of the blocks may be held against the candidate: it does not wait for blocks
/// outside of the part, nor read what these would have written. The first blocks ran twice, to
/// learn what they cost: nothing may add up either.
bool judges_itself(const Session& session, const LaunchPlan& plan,
                   const device::RunReport& report) {
  return !is_endless(report) && stands_alone(session.task(), plan, report);
}

/// Runs a part of the blocks, more of them where that helps.
Result<device::RunReport> run_share(const Session& session, const Sized& sized,
                                    device::Replay& replay, const LaunchPlan& plan,
                                    const device::RunOptions& options) {
  return run_enough(replay, options, [&](const device::RunReport& report) -> Result<bool> {
    if (!judges_itself(session, plan, report)) return false;
    return does_too_little(session, sized, report);
  });
}

/// A part of the blocks on the inputs of a whole call, and whether what they wrote is right.
Outcome<std::optional<Estimate>> run_part(Session& session, const Sized& sized) {
  const verify::Case item{sized.size, nullptr};
  const std::uint64_t seed = timed_seed(session.prepared, sized.number, 0);
  WW_TRY(auto loaded, load_case(session, item, seed));
  device::RunOptions options = run_options(session.prepared, item, derived_seed(seed, 0));
  options.timed = options.may_sample = options.all_checks = options.keep_launches = true;
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(loaded.call));
  WW_TRY(auto report, run_share(session, sized, *loaded.replay, plan, options));
  if (!judges_itself(session, plan, report)) return run_whole(session, sized);
  if (!report.faults.empty()) {
    return faulted(session.prepared, report.faults, item, session.context.notes);
  }
  WW_TRY(const bool too_little, does_too_little(session, sized, report));
  if (too_little) return run_whole(session, sized);
  WW_TRY(const auto expected, expected_values(session, loaded));
  WW_TRY(Fetched fetched, fetch_results(loaded));
  if (!report.complete) {
    // What is poison still may be another block's, or may have been left out by those that ran:
    // then they wrote less than their share, and the whole call tells.
    const double written =
        complete_unwritten(session.task(), options.poison_seed, expected, fetched.outputs);
    if (written == 0 || written < kWholeShare * share_run(report)) {
      return run_whole(session, sized);
    }
  }
  std::string remark;
  WW_TRY(const auto wrong,
         find_wrong(session.reference, loaded.instance, loaded.inputs, expected, fetched, remark));
  if (!remark.empty()) note(session.context, remark);
  if (wrong) {
    return mismatched(session.prepared, item, *wrong, report.findings, session.context.notes);
  }
  const Checked checked = report.complete ? Checked("all") : Checked("sampled");
  return std::optional(Estimate{std::move(report), checked});
}

/// Whether this size's outputs are products, whose entries can be checked one by one.
Result<bool> is_product(const Session& session, const Sized& sized) {
  const Prepared& prepared = session.prepared;
  if (is_own_kernel(session) || session.reference == nullptr) return false;
  const WorkLimits limits = work_limits(prepared.request(), prepared.target);
  WW_TRY(const std::uint64_t bytes, footprint_bytes(prepared.task(), *sized.size));
  if (bytes > limits.sampled_bytes) return false;
  WW_TRY(const auto instance, verify::make_instance(prepared.task(), *sized.size, nullptr, 0));
  WW_TRY(const bool expected, verify::needs_expected(instance));
  return !expected;
}

/// A part of the blocks of a product, and whether entries that they wrote, chosen in secret, are
/// right. Nothing where blocks cannot be judged alone.
Outcome<std::optional<Estimate>> run_products(Session& session, const Sized& sized) {
  const verify::Case item{sized.size, nullptr};
  const std::uint64_t seed = timed_seed(session.prepared, sized.number, 0);
  WW_TRY(auto loaded, load_case(session, item, seed));
  device::RunOptions options = run_options(session.prepared, item, derived_seed(seed, 0));
  options.timed = options.may_sample = options.all_checks = options.keep_launches = true;
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(loaded.call));
  WW_TRY(auto report, run_share(session, sized, *loaded.replay, plan, options));
  if (!report.faults.empty() || !judges_itself(session, plan, report)) {
    return std::optional<Estimate>{};
  }
  WW_TRY(const bool too_little, does_too_little(session, sized, report));
  if (too_little) return run_whole(session, sized);
  WW_TRY(const Fetched fetched, fetch_results(loaded));
  for (std::size_t i = 0; i < fetched.outputs.size(); ++i) {
    if (fetched.outputs[i].empty()) continue;
    const auto written =
        written_elements(session.task().arguments[i].type, options.poison_seed, fetched.outputs[i]);
    WW_TRY(const auto wrong,
           verify::check_entries(loaded.instance, loaded.inputs, i, fetched.outputs[i], written));
    if (wrong) {
      return mismatched(session.prepared, item, {.changed_input = {}, .mismatch = *wrong},
                        report.findings, session.context.notes);
    }
  }
  return std::optional(Estimate{std::move(report), "sampled"});
}

/// A part of the blocks where no reference is affordable: that they write enough is checked, what
/// they write is not.
Outcome<std::optional<Estimate>> run_unseen(Session& session, const Sized& sized) {
  WW_TRY(auto sampled,
         run_sampled(session, *sized.size, timed_seed(session.prepared, 0, 0), &sized));
  device::RunReport& report = sampled.report;
  if (!report.faults.empty()) {
    if (!judges_itself(session, *sampled.plan, report)) return run_whole(session, sized);
    return faulted(session.prepared, report.faults, {sized.size, nullptr}, session.context.notes);
  }
  WW_TRY(const bool too_little, does_too_little(session, sized, report));
  if (too_little) return run_whole(session, sized);
  return std::optional(Estimate{std::move(report)});
}

Outcome<std::optional<Estimate>> estimate(Validated& validated, const Sized& sized) {
  Session& session = *validated.session;
  if (auto found = validated.estimates.find(sized.size); found != validated.estimates.end()) {
    return std::optional(Estimate{std::move(found->second), "all"});
  }
  WW_TRY(const bool comparable, is_comparable(session, sized));
  if (comparable) return run_part(session, sized);
  WW_TRY(const bool product, is_product(session, sized));
  if (product) {
    WW_TRY(auto made, run_products(session, sized));
    if (made) return made;
  }
  return run_unseen(session, sized);
}

}  // namespace

Result<device::RunReport> run_enough(
    device::Replay& replay, device::RunOptions options,
    const std::function<Result<bool>(const device::RunReport&)>& does_too_little) {
  for (std::uint64_t before = 0;; options.sample_times *= kMoreBlocks) {
    WW_TRY(auto report, replay.run(options));
    // Of blocks that wait for each other as many are run as before.
    if (report.complete || !report.faults.empty() || report.work <= before) return report;
    before = report.work;
    WW_TRY(const bool too_little, does_too_little(report));
    if (!too_little || options.sample_times * kMoreBlocks > kMostBlocks) return report;
  }
}

Result<SampledRun> run_sampled(Session& session, const TaskSize& size, std::uint64_t seed,
                               const Sized* judged) {
  const Prepared& prepared = session.prepared;
  WW_TRY(const auto call, call_of(prepared.task(), size, nullptr));
  WW_TRY(const auto instance, verify::make_instance(prepared.task(), size, nullptr, seed));
  WW_TRY(const auto inputs, verify::generate_inputs(instance, kEstimatedElements));
  WW_TRY(auto buffers, CaseBuffers::make(session.device, prepared.task(), call, inputs));
  const LaunchPlan& plan = prepared.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, session.device.prepare(session.module, plan, buffers.bindings()));
  device::RunOptions options = run_options(prepared, {&size, nullptr}, prepared.seed);
  options.timed = options.may_sample = true;
  options.keep_launches = true;
  options.bound_is_enough = judged == nullptr || is_own_kernel(session);
  if (judged == nullptr) {
    WW_TRY(auto report, replay->run(options));
    return SampledRun{std::move(report), &plan};
  }
  WW_TRY(auto report, run_share(session, *judged, *replay, plan, options));
  return SampledRun{std::move(report), &plan};
}

Outcome<std::optional<Measurement>> estimate_size(Validated& validated, const Sized& sized) {
  WW_TRY(auto made, estimate(validated, sized));
  if (!made) return std::optional<Measurement>{};
  Session& session = *validated.session;
  const device::RunReport& report = made->report;
  WW_TRY(const auto call, call_of(session.task(), *sized.size, nullptr));
  merge_resources(session, report.resources, session.prepared.candidate.plans.at(call_key(call)));
  add_findings(session.context.notes, report.findings);
  return std::optional(Measurement{.size = sized.size->label,
                                   .source = TimeSource::estimated,
                                   .median_us = report.elapsed_us,
                                   .low_us = report.elapsed_us,
                                   .high_us = report.elapsed_us,
                                   .samples = 1,
                                   .floor_us = sized.roof.floor_us,
                                   .checked = made->checked,
                                   .weight = sized.size->weight});
}

}  // namespace warpwright::evaluate
