// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"
#include "evaluate/case_buffers.h"
#include "evaluate/inputs.h"
#include "evaluate/stages.h"
#include "verify/check.h"
#include "verify/oracle.h"
#include "verify/reference.h"

namespace warpwright::evaluate {

struct OracleKit;

/// A prepared candidate on a device, and what its calls are made and judged with.
struct Session {
  const Prepared& prepared;
  Context& context;
  device::Device& device;
  const verify::ExpectedSource* reference = nullptr;  ///< null: the baseline stands in for it
  Ahead* ahead = nullptr;  ///< inputs that were made before the device came
  device::ModuleId module = -1;
  device::ModuleId baseline = -1;
  std::vector<device::ModuleId> copies = {};  ///< of the module, elsewhere in memory
  const OracleKit* kit = nullptr;             ///< for calls that are checked on the device
  std::optional<verify::Oracle> oracle = {};  ///< loaded from it at the first use

  [[nodiscard]] const Task& task() const { return prepared.task(); }
};

/// Loads what was built; what keeps the device from running it is the candidate's fault.
Result<std::optional<device::Fault>> load(Session& session);

/// The SIMT machine as a second opinion on a candidate, whatever device it is judged on.
struct SecondOpinion {
  std::unique_ptr<device::Device> machine;
  Session session;
};
/// The error says why the machine cannot run the candidate.
Result<SecondOpinion> second_opinion(const Prepared& prepared, Context& context, CheckLevel checks);

/// Values of the buffers of a call: made ahead, or now.
Result<std::vector<verify::Bytes>> inputs_of(Session& session, const verify::Instance& instance,
                                             const verify::Case& item);

/// One case with its inputs on a device, ready to run and to check.
struct LoadedCase {
  verify::Case item;
  build::SolveCall call;
  verify::Instance instance;
  std::vector<verify::Bytes> inputs;
  CaseBuffers buffers;
  std::unique_ptr<device::Replay> replay;
};

/// Inputs of the case for this seed, on the session's device, with the candidate's plan prepared.
Result<LoadedCase> load_case(Session& session, const verify::Case& item, std::uint64_t seed,
                             std::optional<device::ModuleId> module = std::nullopt);

/// The same without inputs: buffers of a call that gets its inputs on the device.
Result<LoadedCase> load_place(Session& session, const verify::Case& item, std::uint64_t seed,
                              device::ModuleId module);

/// The same inputs once more, elsewhere on the device. `inputs` stays with the original.
Result<LoadedCase> copy_case(Session& session, const LoadedCase& original, device::ModuleId module);

/// The candidate loaded once more, for timing: where code lies shows in short times as memory
/// does, because instructions come from a cold cache, too. Number 0 is the first one, and so are
/// all on a device that only simulates.
Result<device::ModuleId> module_copy(Session& session, std::size_t number);

/// What the outputs should be: from the reference, or from the baseline on the same device.
Result<std::vector<verify::Expected>> expected_values(Session& session, const LoadedCase& loaded);

/// What a run left on the device.
struct Fetched {
  std::vector<std::string> changed_inputs;  ///< their names; none when nobody asked
  std::vector<verify::Bytes> outputs;       ///< by argument; empty for all but outputs and inouts
};
Result<Fetched> fetch_results(const LoadedCase& loaded, bool with_inputs = true);

/// Why results are not accepted: an input that changed, or an output.
struct Wrong {
  std::string changed_input;
  verify::Mismatch mismatch;  ///< of an output, when changed_input is empty
};
/// No device needed, and safe on any thread.
Result<std::optional<Wrong>> find_wrong(const verify::Instance& instance,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched);

/// The same, and where they are wrong, whether a reference that computes in the task's own types is
/// wrong in the same way: then they are accepted, and `remark` says so.
Result<std::optional<Wrong>> find_wrong(const verify::ExpectedSource* reference,
                                        const verify::Instance& instance,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched, std::string& remark);

/// Fetches the results of the last run and checks them at once.
Outcome<> check_results(Session& session, const LoadedCase& loaded,
                        std::span<const verify::Expected> expected,
                        const std::vector<Finding>& findings);

/// The verdict on what a run did wrong. The faults also become findings.
Ended faulted(const Prepared& prepared, const std::vector<device::Fault>& faults,
              const verify::Case& item, Notes& notes);
/// The verdict on wrong results. What may explain them also becomes findings.
Ended mismatched(const Prepared& prepared, const verify::Case& item, const Wrong& wrong,
                 const std::vector<Finding>& findings, Notes& notes);

/// Adds what a run told about kernels to what the compiler told.
void merge_resources(const Session& session, const std::vector<KernelResources>& seen,
                     const LaunchPlan& plan);

}  // namespace warpwright::evaluate
