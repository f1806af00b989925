// SPDX-License-Identifier: Apache-2.0
// simt_tasks [full|fast|off] [auto|interpreted|compiled] [TASK...]: the baselines of the tasks but
// matmul on the SIMT machine at their two smallest sizes, all blocks, inputs as the judge makes
// them. Prints seconds of the machine (launches only, two threads where there are two cores) by
// task and in all.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "evaluate/judgement.h"
#include "evaluate/session.h"
#include "suite/load.h"

namespace {

using namespace warpwright;
using namespace warpwright::evaluate;

constexpr std::uint64_t kSeed = 20260101;
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 40;
constexpr std::uint64_t kElements = std::uint64_t{1} << 30;
// Those that the first judge of such kernels was measured with; matmul is another matter.
constexpr const char* kTasks[] = {"sigmoid",       "maxpool3d",   "layernorm", "conv2d", "mha",
                                  "mse",           "transpose",   "reverse",   "relu",   "topk",
                                  "sort",          "copy",        "reduce",    "dot",    "scan",
                                  "cross_entropy", "monte_carlo", "histogram", "ols"};

struct Speed {
  double seconds = 0;
  std::uint64_t lanes = 0;
  std::size_t faults = 0;
  bool compiled = false;
};

/// The best of three runs.
Result<Speed> measure(Session& session, const TaskSize& size) {
  const Task& task = session.task();
  WW_TRY(const auto call, call_of(task, size, nullptr));
  WW_TRY(const auto instance, verify::make_instance(task, size, nullptr, derived_seed(kSeed, 1)));
  WW_TRY(const auto inputs, verify::generate_inputs(instance, kElements));
  WW_TRY(auto buffers, CaseBuffers::make(session.device, task, call, inputs));
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, session.device.prepare(session.module, plan, buffers.bindings()));
  Speed best;
  for (int k = 0; k < 3; ++k) {
    WW_TRY(const auto report,
           replay->run({.poison_seed = 1, .work = kMostWork, .keep_launches = true}));
    Speed m;
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
  WW_TRY(request.checks, chosen<CheckLevel>(checks, "checks"));
  WW_TRY(request.engine, chosen<EngineChoice>(engine, "the engine"));
  for (std::size_t i = 0; i < 2; ++i) request.sizes.push_back(request.task.sizes.at(i).label);
  WW_TRY(const TemporaryDirectory scratch, TemporaryDirectory::create("simt-tasks-"));
  StopSignal stop;
  Station station;
  Context context = make_context(request, scratch.path(), station, stop);
  auto prepared = prepare(std::make_shared<const Source>(Source{request}), context);
  if (!prepared.ok()) return Error{"the baseline was rejected: " + reason_of(prepared.error())};
  WW_TRY(const auto lease, station.lease(prepared->target, context.deadline.remaining_s()));
  Session session{.prepared = *prepared, .context = context, .device = *lease.device()};
  WW_TRY(const auto fault, load(session));
  if (fault) return Error{fault->message};
  double total = 0;
  for (const TaskSize* size : prepared->timed) {
    WW_TRY(const Speed m, measure(session, *size));
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
