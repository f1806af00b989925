// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/compiler.h"
#include "build/lint.h"
#include "build/record.h"
#include "core/launch_plan.h"
#include "device/device.h"
#include "evaluate/context.h"
#include "evaluate/inputs.h"
#include "evaluate/job.h"
#include "evaluate/outcome.h"
#include "verify/cases.h"
#include "verify/reference.h"

namespace warpwright::evaluate {

// A candidate's way to its verdict: Source -> Built -> Prepared -> Validated -> Measured. Each
// stage is a function of the value before it and the context; the first bad one decides.

/// A candidate, and all that was asked about it.
struct Source {
  JobRequest request;
};
using SourcePointer = std::shared_ptr<const Source>;  ///< cases point into its task

/// Compiled, and within the rules that the device code can break.
struct Built {
  SourcePointer source;
  device::ResolvedDevice target;
  build::Builder builder;
  build::BuildOutcome code;

  [[nodiscard]] const JobRequest& request() const { return source->request; }
};

/// Code, with one plan per distinct call.
struct Program {
  build::BuildOutcome code;
  std::map<std::string, LaunchPlan> plans;  ///< by call_key()
};

/// All that the device's part of a judgement needs, and all that it needs to know of the host's: a
/// process that has this need not lint, build or record (hand_over.h). Secrets of checks are not
/// in it: they are drawn after the calls that they check.
struct Prepared {
  SourcePointer source;
  device::ResolvedDevice target;
  std::uint64_t seed = 0;
  std::vector<verify::Case> cases;                     ///< to validate
  std::vector<const TaskSize*> timed;                  ///< sizes to measure
  std::vector<std::shared_ptr<const TaskSize>> drawn;  ///< sizes of this judgement alone, owned
  /// Inputs that cases may have beside the task's variants.
  std::shared_ptr<const std::vector<InputVariant>> patterns;
  const TaskSize* work_size = nullptr;  ///< drawn for the task's rule on work; else null
  Program candidate;
  std::optional<Program> baseline;  ///< only where it stands in for the reference

  [[nodiscard]] const JobRequest& request() const { return source->request; }
  [[nodiscard]] const Task& task() const { return source->request.task; }
};

struct Session;
struct OracleKit;
class CheckQueue;

/// A device, from the moment a judgement gets it. Notes how long it was held.
class DeviceHold {
 public:
  DeviceHold(DeviceLease lease, Notes& notes)
      : lease_(std::move(lease)), notes_(&notes), since_(std::chrono::steady_clock::now()) {}
  DeviceHold(DeviceHold&& other) noexcept;
  DeviceHold& operator=(DeviceHold&&) = delete;
  ~DeviceHold() { give_back(); }

  [[nodiscard]] device::Device& device() const { return *lease_.device(); }
  /// Lets other candidates use the device. Nothing of this judgement may be left on it.
  void give_back();

 private:
  DeviceLease lease_;
  Notes* notes_;
  std::chrono::steady_clock::time_point since_;
};

/// On a device, with results that are right as far as they are checked: the last checks may still
/// be under way.
struct Validated {
  std::optional<DeviceHold> hold;  ///< absent where another judgement holds the device
  std::shared_ptr<const verify::ExpectedSource> reference;
  std::unique_ptr<Ahead> ahead;
  std::shared_ptr<const OracleKit> kit;  ///< for timed calls on a GPU
  bool accesses_judged = false;          ///< memory accesses and races, by the SIMT machine
  std::string why_not_judged;            ///< else
  /// Of the SIMT machine's checks: whether a case ran under all of them; else why not.
  bool ran_checked = false;
  std::string overrun;
  /// Of timed sizes, where times are estimates: the timed run among those that were checked.
  std::map<const TaskSize*, device::RunReport> estimates;
  std::unique_ptr<Session> session;
  std::unique_ptr<CheckQueue> checks;  ///< refers to the session

  Validated();
  Validated(Validated&&) noexcept;
  ~Validated();
};

struct Measured {
  std::vector<Measurement> measurements;
};

Outcome<> lint_stage(const Source& source, Context& context);
Outcome<Built> build_stage(SourcePointer source, Context& context);
/// Chooses the cases and sizes by the seed, and records the calls that they make.
Outcome<Prepared> record_stage(Built built, std::uint64_t seed, Context& context);
/// With `device` on that one, which somebody else holds; else on one that it leases. `prepared`
/// must outlive what it returns.
Outcome<Validated> validate_stage(const Prepared& prepared, Context& context,
                                  device::Device* device = nullptr);
/// Memory accesses and races, as far as validation has not judged them.
Outcome<> sanitize_stage(Validated& validated, Context& context);
/// Times, and results of the timed calls. On a GPU the device is given back before the last checks.
Outcome<Measured> measure_stage(Validated& validated, Context& context);

/// The call that a size and variant make: buffer sizes and scalars.
Result<build::SolveCall> call_of(const Task& task, const TaskSize& size,
                                 const InputVariant* variant);
std::string call_key(const build::SolveCall& call);
/// The keys of all calls that the chosen cases and sizes make.
Result<std::vector<std::string>> recorded_calls(const Prepared& prepared);

/// The device that the request means.
Result<device::ResolvedDevice> resolved_device(const JobRequest& request);

/// Compiles a source for the candidate's device, in the sandbox.
Result<build::BuildOutcome> compile(const JobRequest& request, const device::ResolvedDevice& target,
                                    const build::Builder& builder, const std::string& source,
                                    const Context& context);

/// The verdict on a broken rule of the task or the rule set (docs/judge.md). Baselines are our own
/// and not held to them.
Ended forbidden(const build::LintFinding& broken, const JobRequest& request, Notes& notes);

/// Where the request keeps what was built.
std::filesystem::path cache_of(const JobRequest& request, const Context& context);

}  // namespace warpwright::evaluate
