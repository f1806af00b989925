// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/files.h"
#include "evaluate/careful_run.h"
#include "evaluate/check_queue.h"
#include "evaluate/checking_tools.h"
#include "evaluate/replay_only.h"
#include "evaluate/sanitizer_report.h"
#include "evaluate/session.h"
#include "evaluate/work_check.h"

namespace warpwright::evaluate {

namespace {

constexpr const char* kSourceName = "candidate.cu";
constexpr double kToolSeconds = 60;
constexpr double kAutomaticToolSeconds = 12;  // a GPU waits meanwhile

Result<std::vector<device::Fault>> ask_sanitizers(const Prepared& prepared, Context& context,
                                                  const std::filesystem::path& tool) {
  const auto folder = absolute_path(context.scratch / "sanitize");
  WW_TRY(auto program, replay_command(prepared, context, folder));
  const PartTimer timer(context, "tools");
  const double most_s = prepared.request().sanitize == "on" ? kToolSeconds : kAutomaticToolSeconds;
  return run_sanitizers({.tool = tool,
                         .program = std::move(program),
                         .folder = folder,
                         .source_file = kSourceName,
                         .limit_s = std::min(most_s, 0.5 * context.deadline.remaining_s())},
                        context.stop);
}

/// Faults that a tool found; those of reads that nobody wrote are told, and are no verdict. One
/// that it cannot judge proves nothing, and leaves the kernel unchecked: it may be right all the
/// same.
Outcome<> judge_tool_faults(const Prepared& prepared, const std::vector<device::Fault>& faults,
                            Notes& notes) {
  std::vector<device::Fault> decisive, doubtful;
  for (const device::Fault& fault : faults) {
    const bool sure = tool_can_tell(fault, prepared.candidate.code.ptx);
    if (fault.kind != "uninitialised_read" && sure) {
      decisive.push_back(fault);
      continue;
    }
    notes.findings.push_back({fault.kind, fault.line, fault.message});
    if (!sure) doubtful.push_back(fault);
  }
  const auto cases = small_cases(prepared, watched_bytes(prepared));
  if (!decisive.empty() && !cases.empty()) return faulted(prepared, decisive, cases.front(), notes);
  if (!doubtful.empty())
    notes.unchecked.push_back(
        "memory accesses and races: the SIMT machine did not run this kernel to its end, and "
        "compute-sanitizer, which cannot judge shared memory where wgmma or mbarriers are used, "
        "says: " +
        doubtful.front().message);
  return {};
}

}  // namespace

Outcome<> sanitize_stage(Validated& validated, Context& context) {
  const Prepared& prepared = validated.session->prepared;
  const SanitizeChoice wanted = prepared.request().sanitize;
  if (!prepared.target.is_cuda) {
    // Of a GPU's candidate this was judged before it got the GPU.
    WW_CHECK(check_work(prepared, validated.reference.get(), context));
    if (wanted == "on" && prepared.request().checks != "full") {
      return Error{"--sanitize on: on the SIMT machine this is what --checks full does"};
    }
    return {};  // validation ran with these checks
  }
  if (wanted == "off" || prepared.request().timing_only) return {};
  if (validated.accesses_judged && wanted == "auto") return {};
  const auto tool = find_cuda_tool("compute-sanitizer");
  if (!tool && wanted == "on") {
    return Error{
        "--sanitize on: there is no compute-sanitizer in PATH, CUDA_HOME or /usr/local/cuda; "
        "install it with the CUDA toolkit, or use --sanitize auto"};
  }
  if (!tool) {
    note(context,
         "memory accesses and races were not checked: the SIMT machine cannot run this kernel (" +
             validated.why_not_judged + "), and there is no compute-sanitizer");
    return {};
  }
  if (small_cases(prepared, watched_bytes(prepared)).empty()) {
    note(context,
         "memory accesses and races were not checked: no size of the task is small enough");
    return {};
  }
  WW_CHECK(validated.checks->conclude_all());  // no tool for what is wrong anyway
  const auto faults = ask_sanitizers(prepared, context, *tool);
  if (faults.ok()) return judge_tool_faults(prepared, *faults, context.notes);
  if (wanted == "on" || context.stop.requested()) return faults.error();
  note(context, "memory accesses and races were not checked: " + faults.error().message);
  return {};
}

}  // namespace warpwright::evaluate
