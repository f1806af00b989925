// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"
#include "build/record.h"
#include "core/evaluation.h"
#include "core/launch_plan.h"
#include "device/device.h"
#include "evaluate/job.h"
#include "evaluate/station.h"
#include "evaluate/trial_ahead.h"
#include "verify/cases.h"
#include "verify/reference.h"

namespace warpwright::evaluate {

/// The trial's end as the stages see it.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds)) {}
  [[nodiscard]] double remaining_s() const {
    return std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
  }
  [[nodiscard]] bool passed() const { return remaining_s() <= 0; }
  /// For time that is not the trial's own.
  void postpone(double seconds) { end_ += std::chrono::duration<double>(seconds); }

 private:
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> end_;
};

/// A program that was built, with one plan per distinct call.
struct Program {
  std::string source;
  build::BuildOutcome built;
  std::map<std::string, LaunchPlan> plans;  ///< by call_key()
  device::ModuleId module = -1;
  std::vector<device::ModuleId> copies;  ///< of the module, elsewhere in memory: module_copy()
};

struct CarefulRun;
class CheckQueue;

/// What the stages of one trial hand on.
struct TrialState {
  const JobRequest& request;
  std::filesystem::path scratch;
  Station& station;
  const StopSignal& stop;
  Deadline deadline;
  Evaluation evaluation;

  device::ResolvedDevice target;
  DeviceLease lease;  ///< outlives what lies on the device
  device::Device* device = nullptr;
  std::optional<build::Builder> builder;
  Program candidate;
  std::optional<Program> baseline;  ///< only where it stands in for the reference
  std::vector<verify::Case> cases;
  std::vector<const TaskSize*> timed;                  ///< sizes to measure
  std::shared_ptr<const std::vector<TaskSize>> drawn;  ///< for this trial, among the cases
  std::optional<verify::Reference> reference;
  std::optional<std::chrono::steady_clock::time_point> device_since;  ///< held from then on
  std::uint64_t seed = 0;
  Ahead ahead;
  std::shared_ptr<const CarefulRun> careful;  ///< on the SIMT machine, before the GPU is taken
  std::shared_ptr<const TaskSize> work_size;  ///< drawn for the rule adjacent_exchange, else null
  std::set<const TaskSize*> work_judged;      ///< sizes whose work that rule has seen
  /// Results may be checked while the kernel is timed: the measure stage settles them.
  bool settles_late = false;
  std::shared_ptr<CheckQueue> checks;  ///< refers to what stands above
};

/// What a stage found: the next one may go on, or the verdict is in the evaluation. The error is
/// the judge's own.
enum class Next { go_on, ended };

Result<Next> lint_stage(TrialState& state);
Result<Next> build_stage(TrialState& state);
Result<Next> record_stage(TrialState& state);
Result<Next> validate_stage(TrialState& state);
Result<Next> sanitize_stage(TrialState& state);
Result<Next> measure_stage(TrialState& state);

/// Runs these stages one after the other and adds their times. Whether all went well; else the
/// verdict is in the evaluation, harness_error included.
bool run_stages(TrialState& state, std::span<const Stage> stages);

inline constexpr std::array<Stage, 3> kStagesWithoutDevice = {Stage::lint, Stage::build,
                                                              Stage::record};

TrialState begin_trial(const JobRequest& request, const std::filesystem::path& scratch,
                       Station& station, const StopSignal& stop);

/// Lets other candidates use the device. Nothing of this trial may be left on it.
void leave_device(TrialState& state);

/// What every trial does last, whatever its verdict.
Evaluation finish_trial(TrialState& state);

/// One size of a request that is timing_only, on a GPU.
Result<Next> time_without_checks(TrialState& state, const TaskSize& size, double floor_us);

/// Ends the trial with a verdict; `reason` is for people, `feedback` for the model.
Next end_with(TrialState& state, Verdict verdict, std::string reason, std::string feedback);

/// A time-out of the whole trial, or nothing.
std::optional<Next> out_of_time(TrialState& state);

/// Compiles a source for the trial's device, in the sandbox.
Result<build::BuildOutcome> build_source(TrialState& state, const std::string& source);

/// The call that a size and variant make: buffer sizes and scalars.
Result<build::SolveCall> call_of(const Task& task, const TaskSize& size,
                                 const InputVariant* variant);
std::string call_key(const build::SolveCall& call);

/// Adds its lifetime to stage_s under a name of its own, so that one sees what a stage's time
/// went into.
class PartTimer {
 public:
  PartTimer(TrialState& state, std::string part)
      : state_(state), part_(std::move(part)), start_(std::chrono::steady_clock::now()) {}
  PartTimer(const PartTimer&) = delete;
  PartTimer& operator=(const PartTimer&) = delete;
  ~PartTimer();

 private:
  TrialState& state_;
  std::string part_;
  std::chrono::steady_clock::time_point start_;
};

/// A remark that is no verdict: a size left out, a check not made.
void note(TrialState& state, std::string text);

}  // namespace warpwright::evaluate
