// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/stop.h"
#include "core/device_facts.h"
#include "core/evaluation.h"
#include "device/device.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

/// What the SIMT machine saw of a candidate, kernel by kernel.
struct Explanation {
  std::string task;
  std::string source;
  DeviceFacts target;
  /// The verdict of lint, build and record; `ok` when the candidate could be run at all. Its
  /// findings are those of the counted run, worst first.
  Evaluation evaluation;
  /// All blocks with all checks, at a size that is small enough for it.
  std::string checked_size;
  std::vector<device::LaunchDetail> checked;
  /// Counts and estimate, of a sample of the blocks where there are many.
  std::string counted_size;
  std::vector<device::LaunchDetail> counted;
  double estimate_us = 0;  ///< of the whole call at counted_size, 0 = none

  /// Reports of the checked run; those that are no reason to reject come last.
  [[nodiscard]] std::vector<simt::Fault> faults() const;
  /// It could be run, and nothing that rejects a candidate was reported.
  [[nodiscard]] bool clean() const;
};

/// Builds and records the candidate as a judgement does, in the sandbox, and runs it on the SIMT
/// machine. `request.sizes` may name one size; without one, the largest that can be checked is
/// checked and the largest that fits is counted. The error is the judge's own.
Result<Explanation> explain(const JobRequest& request, const std::filesystem::path& scratch,
                            const StopSignal& stop);

/// For people: faults, findings, annotated source, kernels. With `colour`, for a terminal.
std::string explanation_text(const Explanation& explanation, bool colour);

/// docs/formats.md, "Explanation".
std::string explanation_json(const Explanation& explanation);

}  // namespace warpwright::evaluate
