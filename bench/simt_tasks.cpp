// SPDX-License-Identifier: Apache-2.0
// simt_tasks [full|fast|off] [auto|interpreted|compiled] [TASK...]: the baselines of the tasks but
// matmul on the SIMT machine at their two smallest sizes, all blocks, inputs as the judge makes
// them. Prints seconds of the machine (launches only, two threads where there are two cores) by
// task and in all.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_runs.h"
#include "suite/load.h"

namespace {

using namespace warpwright;
using namespace warpwright::evaluate;

constexpr std::uint64_t kElements = std::uint64_t{1} << 30;
// Those that the first judge of such kernels was measured with; matmul is another matter.
constexpr const char* kTasks[] = {"sigmoid",       "maxpool3d",   "layernorm", "conv2d", "mha",
                                  "mse",           "transpose",   "reverse",   "relu",   "topk",
                                  "sort",          "copy",        "reduce",    "dot",    "scan",
                                  "cross_entropy", "monte_carlo", "histogram", "ols"};

Status prepare(TrialState& state) {
  for (const auto stage : {lint_stage, build_stage, record_stage}) {
    WW_TRY(const Next next, stage(state));
    if (next == Next::ended)
      return Error{"the baseline was rejected: " + state.evaluation.feedback};
  }
  WW_TRY(state.lease, state.station.lease(state.target, state.deadline.remaining_s()));
  state.device = state.lease.device();
  WW_TRY(const auto loaded,
         state.device->load(
             {.ptx = state.candidate.built.ptx, .cubin = "", .source_file = "candidate.cu"}));
  if (loaded.fault) return Error{loaded.fault->message};
  state.candidate.module = loaded.module;
  state.seed = 20260101;
  return {};
}

struct Measured {
  double seconds = 0;
  std::uint64_t lanes = 0;
  std::size_t faults = 0;
  bool compiled = false;
};

/// The best of three runs.
Result<Measured> measure(TrialState& state, const TaskSize& size) {
  const Task& task = state.request.task;
  WW_TRY(const auto call, call_of(task, size, nullptr));
  WW_TRY(const auto trial, verify::make_trial(task, size, nullptr, derived_seed(state.seed, 1)));
  WW_TRY(const auto inputs, verify::generate_inputs(trial, kElements));
  WW_TRY(auto buffers, CaseBuffers::make(*state.device, task, call, inputs));
  const LaunchPlan& plan = state.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, state.device->prepare(state.candidate.module, plan, buffers.bindings()));
  Measured best;
  for (int k = 0; k < 3; ++k) {
    WW_TRY(const auto report,
           replay->run({.poison_seed = 1, .limit_s = 300, .keep_launches = true}));
    Measured m;
    for (const device::LaunchDetail& launch : report.launches) {
      m.seconds += launch.report.wall_s;
      m.lanes += launch.report.counts.lane_instructions();
      m.faults += launch.report.faults.size();
      m.compiled = m.compiled || launch.report.compiled;
    }
    if (k == 0 || m.seconds < best.seconds) best = m;
  }
  return best;
}

Result<double> run_task(const std::string& name, const std::string& checks,
                        const std::string& engine) {
  JobRequest request;
  WW_TRY(request.task, suite::load_embedded_task(name));
  request.source = request.task.baseline_source;
  request.is_baseline = true;
  request.device = "simt";
  request.checks = checks;
  request.engine = engine;
  for (std::size_t i = 0; i < 2; ++i) request.sizes.push_back(request.task.sizes.at(i).label);
  WW_TRY(const TemporaryDirectory scratch, TemporaryDirectory::create("simt-tasks-"));
  StopSignal stop;
  Station station;
  TrialState state = begin_trial(request, scratch.path(), station, stop);
  WW_CHECK(prepare(state));
  double total = 0;
  for (const TaskSize* size : state.timed) {
    WW_TRY(const Measured m, measure(state, *size));
    fmt::print("{:14} {:>12} {:8.1f} ms {:8.2f} M lanes {:5.2f} G/s{}{}\n", name, size->label,
               m.seconds * 1e3, static_cast<double>(m.lanes) * 1e-6,
               static_cast<double>(m.lanes) / m.seconds * 1e-9, m.compiled ? " compiled" : "",
               m.faults != 0 ? " FAULTS" : "");
    total += m.seconds;
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const auto take = [&](std::initializer_list<std::string_view> choices) {
    if (names.empty() || std::find(choices.begin(), choices.end(), names[0]) == choices.end())
      return std::string(*choices.begin());
    const std::string chosen = names[0];
    names.erase(names.begin());
    return chosen;
  };
  const std::string checks = take({"full", "fast", "off"});
  const std::string engine = take({"auto", "interpreted", "compiled"});
  double total = 0;
  for (const std::string name : kTasks) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const auto seconds = run_task(name, checks, engine);
    if (!seconds.ok()) return fmt::print("{}: {}\n", name, seconds.error().message), 1;
    total += *seconds;
  }
  fmt::print("in all {:.3f} s with checks {}\n", total, checks);
  return 0;
}
