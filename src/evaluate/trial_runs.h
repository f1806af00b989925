// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/device.h"
#include "evaluate/trial_buffers.h"
#include "evaluate/trial_state.h"
#include "verify/check.h"

namespace warpwright::evaluate {

/// One case with its inputs on a device, ready to run and to check.
struct LoadedCase {
  verify::Case item;
  build::SolveCall call;
  verify::Trial trial;
  std::vector<verify::Bytes> inputs;
  CaseBuffers buffers;
  std::unique_ptr<device::Replay> replay;
};

/// Loads what was built; what keeps the device from running it is the candidate's fault.
Result<std::optional<device::Fault>> load_program(device::Device& device, Program& program);

/// Inputs of the case for this seed, on `device`, with the program's plan prepared.
Result<LoadedCase> load_case(TrialState& state, device::Device& device, const Program& program,
                             const verify::Case& item, std::uint64_t seed,
                             std::optional<device::ModuleId> module = std::nullopt);

/// The same inputs once more, elsewhere on the trial's device. `inputs` stays with the original.
Result<LoadedCase> copy_case(TrialState& state, const LoadedCase& original,
                             device::ModuleId module);

/// The program loaded once more, for timing: where code lies shows in short times as memory does,
/// because instructions come from a cold cache, too. Number 0 is the program itself, and so are
/// all on a device that only simulates.
Result<device::ModuleId> module_copy(TrialState& state, Program& program, std::size_t number);

/// What the outputs should be: from the reference, or from the baseline on the same device.
Result<std::vector<verify::Expected>> expected_values(TrialState& state, const LoadedCase& loaded);

/// Ends the trial by what a run did wrong.
Next end_with_faults(TrialState& state, const std::vector<device::Fault>& faults,
                     const verify::Case& item);

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
Result<std::optional<Wrong>> find_wrong(const verify::Trial& trial,
                                        std::span<const verify::Bytes> inputs,
                                        std::span<const verify::Expected> expected,
                                        const Fetched& fetched);
Next end_with_wrong(TrialState& state, const verify::Case& item, const Wrong& wrong,
                    const std::vector<Finding>& findings);

/// All three at once.
Result<Next> check_results(TrialState& state, const LoadedCase& loaded,
                           std::span<const verify::Expected> expected,
                           const std::vector<Finding>& findings);

/// The seed of the n-th set of inputs of a trial.
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t n);

/// Adds what a run told about kernels to what the compiler told.
void merge_resources(TrialState& state, const std::vector<KernelResources>& seen,
                     const LaunchPlan& plan);

}  // namespace warpwright::evaluate
