// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_sanitize.h"

#include <algorithm>
#include <limits>

#include "base/files.h"
#include "evaluate/checking_tools.h"
#include "evaluate/trial_checks.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_rules.h"
#include "evaluate/trial_runs.h"

namespace warpwright::evaluate {

namespace {

constexpr const char* kSourceName = "candidate.cu";
constexpr std::uint64_t kSimulatedBytes = 64 << 10;
constexpr std::uint64_t kWatchedBytes = 1 << 20;
constexpr std::size_t kMostSizes = 4;
constexpr std::size_t kMostVariants = 2;
// Of the CPU, while the GPU has another candidate.
constexpr double kSimulatedSeconds = 1.0;
constexpr double kSimulatedRunSeconds = 0.4;
// A launcher may do something else for large inputs, and only there go wrong.
constexpr std::uint64_t kLargerBytes = 2 << 20;
constexpr double kLargerSeconds = 0.12;
constexpr double kLargerRunSeconds = 0.1;
constexpr std::size_t kLargerSteps = 16;  // each has its own limit
constexpr double kToolSeconds = 60;
constexpr double kAutomaticToolSeconds = 12;  // a GPU waits meanwhile

std::uint64_t bytes_of_case(const TrialState& state, const verify::Case& item) {
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  return bytes.ok() ? *bytes : ~std::uint64_t{0};
}

struct ByteRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};
enum class From : std::uint8_t { the_largest, the_smallest };

/// Cases of such sizes with usual inputs, in order of size, then some with special ones.
std::vector<verify::Case> picked_cases(const TrialState& state, ByteRange range, From from,
                                       std::size_t most_sizes) {
  std::vector<verify::Case> plain, special;
  for (const verify::Case& item : state.cases) {
    const std::uint64_t bytes = bytes_of_case(state, item);
    if (bytes < range.min || bytes > range.max) continue;
    (item.variant == nullptr ? plain : special).push_back(item);
  }
  const auto before = [&](const verify::Case& a, const verify::Case& b) {
    const std::uint64_t of_a = bytes_of_case(state, a), of_b = bytes_of_case(state, b);
    return from == From::the_largest ? of_a > of_b : of_a < of_b;
  };
  std::stable_sort(plain.begin(), plain.end(), before);
  std::stable_sort(special.begin(), special.end(), before);
  plain.resize(std::min(plain.size(), most_sizes));
  special.resize(std::min(special.size(), kMostVariants));
  plain.insert(plain.end(), special.begin(), special.end());
  return plain;
}

bool is_decisive(const device::Fault& fault) {
  return fault.verdict == Verdict::memory_fault || fault.verdict == Verdict::race;
}

/// Of one run: seconds for each of its steps, and steps.
struct RunLimits {
  double step_s = 0;
  std::size_t steps = std::numeric_limits<std::size_t>::max();
};

/// Runs one case; whether the machine could, within the limits.
Result<bool> run_one(TrialState& state, device::Device& machine, const Program& program,
                     const verify::Case& item, const RunLimits& limits, CarefulRun& careful) {
  WW_TRY(auto loaded, load_case(state, machine, program, item, state.seed));
  if (program.plans.at(call_key(loaded.call)).steps.size() > limits.steps) return false;
  WW_TRY(auto report, loaded.replay->run({.poison_seed = state.seed, .limit_s = limits.step_s}));
  for (device::Fault& fault : report.faults) {
    if (is_decisive(fault)) careful.faults.push_back(std::move(fault));
  }
  if (!careful.faults.empty()) careful.item = item;
  // A time-out or a trap that the GPU did not see says more of the machine than of the kernel.
  if (careful.faults.empty() && !report.faults.empty()) {
    careful.why_not = report.faults.front().kind;
    return false;
  }
  return true;
}

/// Every small case, to its end; whether the machine could.
Result<bool> run_small(TrialState& state, device::Device& machine, const Program& program,
                       CarefulRun& careful) {
  const Deadline deadline(kSimulatedSeconds);
  for (const verify::Case& item : small_cases(state, kSimulatedBytes)) {
    if (state.stop.requested()) return Error{"stopped"};
    if (deadline.passed()) return Error{"it would take too long"};
    WW_TRY(const bool ran,
           run_one(state, machine, program, item, {.step_s = kSimulatedRunSeconds}, careful));
    if (!ran || !careful.faults.empty()) return ran;
  }
  return true;
}

/// Larger cases, the smallest first, as far as time allows: that one takes too long there says
/// nothing of the kernel, nor of what the small ones have shown.
void run_larger(TrialState& state, device::Device& machine, const Program& program,
                CarefulRun& careful) {
  const Deadline deadline(kLargerSeconds);
  for (const verify::Case& item : larger_cases(state, kSimulatedBytes, kLargerBytes)) {
    if (deadline.passed() || state.stop.requested()) return;
    CarefulRun one;
    const RunLimits limits{.step_s = std::min(deadline.remaining_s(), kLargerRunSeconds),
                           .steps = kLargerSteps};
    const auto ran = run_one(state, machine, program, item, limits, one);
    if (!ran.ok() || !*ran) return;
    if (!one.faults.empty()) {
      careful.faults = std::move(one.faults);
      careful.item = one.item;
      return;
    }
  }
}

Result<bool> run_all(TrialState& state, CarefulRun& careful) {
  const device::ResolvedDevice simt{.choice = {.device = "simt", .checks = "full"},
                                    .facts = state.target.facts};
  WW_TRY(auto machine, device::open_device(simt, 0));
  Program program{.source = state.candidate.source,
                  .built = state.candidate.built,
                  .plans = state.candidate.plans};
  WW_TRY(const auto unloadable, load_program(*machine, program));
  if (unloadable) return Error{unloadable->message};
  WW_TRY(const bool ran, run_small(state, *machine, program, careful));
  if (ran && careful.faults.empty()) run_larger(state, *machine, program, careful);
  // What the larger ones show is worth telling; that nothing was found in them is no proof.
  if (small_cases(state, kSimulatedBytes).empty() && careful.faults.empty()) {
    return Error{"no size of the task is small enough"};
  }
  return ran;
}

Result<std::vector<device::Fault>> ask_sanitizers(TrialState& state,
                                                  const std::filesystem::path& tool) {
  const auto folder = absolute_path(state.scratch / "sanitize");
  WW_TRY(auto program, replay_command(state, folder));
  const PartTimer timer(state, "tools");
  return run_sanitizers(
      {.tool = tool,
       .program = std::move(program),
       .folder = folder,
       .source_file = kSourceName,
       .limit_s = std::min(state.request.sanitize == "on" ? kToolSeconds : kAutomaticToolSeconds,
                           0.5 * state.deadline.remaining_s())},
      state.stop);
}

Next end_with_careful_faults(TrialState& state, const CarefulRun& careful) {
  const Next next = end_with_faults(state, careful.faults, careful.item);
  state.evaluation.feedback +=
      "The results were right all the same; nothing says that they always will be.\n";
  return next;
}

/// Faults that a tool found; those of reads that nobody wrote are told, and are no verdict.
Next judge_tool_faults(TrialState& state, const std::vector<device::Fault>& faults) {
  std::vector<device::Fault> decisive;
  for (const device::Fault& fault : faults) {
    if (fault.kind == "uninitialised_read") {
      state.evaluation.findings.push_back({fault.kind, fault.line, fault.message});
    } else {
      decisive.push_back(fault);
    }
  }
  const auto cases = small_cases(state, kWatchedBytes);
  if (decisive.empty() || cases.empty()) return Next::go_on;
  return end_with_faults(state, decisive, cases.front());
}

}  // namespace

std::vector<verify::Case> small_cases(const TrialState& state, std::uint64_t max_bytes) {
  return picked_cases(state, {.max = max_bytes}, From::the_largest, kMostSizes);
}

std::vector<verify::Case> larger_cases(const TrialState& state, std::uint64_t beyond_bytes,
                                       std::uint64_t max_bytes) {
  return picked_cases(state, {.min = beyond_bytes + 1, .max = max_bytes}, From::the_smallest,
                      state.cases.size());
}

/// The same trial, built from the same cache.
Result<std::vector<std::string>> replay_command(const TrialState& state,
                                                const std::filesystem::path& folder) {
  JobRequest request = state.request;
  request.rival.reset();
  request.device = state.target.choice.device;
  request.seed = state.seed;
  request.sanitize = "off";
  request.counters = false;
  request.cache =
      absolute_path(state.request.cache.empty() ? state.scratch / "cache" : state.request.cache);
  const JobDirectory job(folder / "job");
  WW_CHECK(job.write_request(request));
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{"this program does not find itself: " + error.message()};
  return std::vector<std::string>{own.string(), "worker", "--replay-only", job.path().string()};
}

CarefulRun run_carefully(TrialState& state) {
  const PartTimer timer(state, "simt");
  CarefulRun careful;
  const auto ran = run_all(state, careful);
  careful.complete = ran.ok() && *ran;
  if (!ran.ok()) careful.why_not = ran.error().message;
  return careful;
}

Next look_before(TrialState& state) {
  if (state.request.sanitize != "off") {
    state.careful = std::make_shared<CarefulRun>(run_carefully(state));
    if (!state.careful->faults.empty()) {
      return end_with_faults(state, state.careful->faults, state.careful->item);
    }
  }
  return judge_work_by_size(state);
}

Result<Next> sanitize_stage(TrialState& state) {
  const std::string& wanted = state.request.sanitize;
  // Of a GPU's candidate this was judged before it got the GPU.
  if (!state.target.is_cuda && judge_work_by_size(state) == Next::ended) return Next::ended;
  if (wanted == "off" || state.request.timing_only) return Next::go_on;
  if (!state.target.is_cuda) {
    if (wanted == "on" && state.request.checks != "full") {
      return Error{"--sanitize on: on the SIMT machine this is what --checks full does"};
    }
    return Next::go_on;  // validation ran with these checks
  }
  const CarefulRun careful = state.careful ? *state.careful : run_carefully(state);
  if (!careful.faults.empty()) return end_with_careful_faults(state, careful);
  if (careful.complete && wanted == "auto") return Next::go_on;
  const auto tool = find_cuda_tool("compute-sanitizer");
  if (!tool && wanted == "on") {
    return Error{
        "--sanitize on: there is no compute-sanitizer in PATH, CUDA_HOME or /usr/local/cuda; "
        "install it with the CUDA toolkit, or use --sanitize auto"};
  }
  if (!tool) {
    note(state,
         "memory accesses and races were not checked: the SIMT machine cannot run this "
         "kernel (" +
             careful.why_not + "), and there is no compute-sanitizer");
    return Next::go_on;
  }
  if (state.checks) {
    WW_TRY(const Next next, state.checks->settle_all());  // no tool for what is wrong anyway
    if (next == Next::ended) return next;
  }
  const auto faults = ask_sanitizers(state, *tool);
  if (faults.ok()) return judge_tool_faults(state, *faults);
  if (wanted == "on" || state.stop.requested()) return faults.error();
  note(state, "memory accesses and races were not checked: " + faults.error().message);
  return Next::go_on;
}

Status replay_only(const JobDirectory& job, const std::string& only_size, Station& station,
                   const StopSignal& stop) {
  WW_TRY(const JobRequest request, job.read_request());
  TrialState state = begin_trial(request, job.path() / "scratch", station, stop);
  constexpr std::array<Stage, 2> kStages = {Stage::build, Stage::record};
  if (!run_stages(state, kStages)) return Error{state.evaluation.reason};
  state.target.choice.bare = true;
  state.seed = request.seed.value_or(1);
  WW_TRY(state.lease, station.lease(state.target, state.deadline.remaining_s()));
  state.device = state.lease.device();
  WW_TRY(const auto unloadable, load_program(*state.device, state.candidate));
  if (unloadable) return Error{unloadable->message};
  std::vector<verify::Case> cases = small_cases(state, kWatchedBytes);
  if (!only_size.empty()) {
    const TaskSize* size = size_labelled(request.task, only_size);
    if (size == nullptr) return Error{"the task has no size \"" + only_size + "\""};
    cases = {{size, nullptr}};
  }
  for (const verify::Case& item : cases) {
    WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, item, state.seed));
    WW_TRY(const auto report, loaded.replay->run({.poison_seed = state.seed, .limit_s = 30}));
    if (!report.faults.empty()) return Error{report.faults.front().message};
  }
  return {};
}

}  // namespace warpwright::evaluate
