// SPDX-License-Identifier: Apache-2.0
#include "evaluate/bounds_run.h"

#include "evaluate/session.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kBoundedWork = 40'000'000;  // warp instructions

/// The compiler's trap, in words. The candidate's own would end its other runs, too.
device::Fault past_the_end(device::Fault fault) {
  fault.verdict = Verdict::memory_fault;
  fault.kind = "out_of_bounds";
  fault.message = "an access past the end of an array in local or shared memory";
  return fault;
}

Result<bool> run_bounded(const Prepared& prepared, Context& context, CarefulRun& careful) {
  Prepared checked = prepared;
  checked.candidate.code.ptx = prepared.candidate.code.bounds_ptx;
  checked.candidate.code.cubin.clear();
  checked.baseline.reset();
  WW_TRY(auto opinion, second_opinion(checked, context, "fast"));
  std::uint64_t work = 0;
  for (const verify::Case& item : small_cases(checked, small_bytes(checked))) {
    if (context.stop.requested()) return Error{"stopped"};
    if (work > kBoundedWork) {
      careful.remark =
          "the ends of local arrays were not checked in every small case: it does too much work "
          "for the SIMT machine";
      return true;
    }
    WW_TRY(auto loaded, load_case(opinion.session, item, checked.seed));
    WW_TRY(auto report,
           loaded.replay->run(
               {.poison_seed = checked.seed, .work = kBoundedWork, .exact_work = true}));
    work += report.work;
    for (device::Fault& fault : report.faults) {
      if (fault.kind == "trap") careful.faults.push_back(past_the_end(std::move(fault)));
    }
    // The added branches part lanes that were together; other runs judge that.
    if (careful.faults.empty()) continue;
    careful.item = item;
    return true;
  }
  return true;
}

}  // namespace

CarefulRun run_within_bounds(const Prepared& prepared, Context& context) {
  CarefulRun careful;
  const build::BuildOutcome& code = prepared.candidate.code;
  if (code.bounds_ptx.empty()) {
    if (build::has_local_arrays(code.ptx))
      careful.why_not = "no compiler could add the checks to this source";
    return careful;
  }
  const PartTimer timer(context, "simt");
  const auto ran = run_bounded(prepared, context, careful);
  careful.complete = ran.ok() && *ran;
  if (!ran.ok()) careful.why_not = ran.error().message;
  return careful;
}

}  // namespace warpwright::evaluate
