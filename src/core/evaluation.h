// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"

namespace warpwright {

/// One message of a compiler or checker, in the candidate's own line numbers (0 = no line).
struct Diagnostic {
  std::string severity;  ///< "error", "warning", "note"
  int line = 0;
  int column = 0;
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

/// What one kernel occupies.
struct KernelResources {
  std::string kernel;
  int registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;
  int shared_bytes = 0;  ///< static and dynamic together
  double occupancy = 0;  ///< resident warps over the device's maximum, 0 = not known

  bool operator==(const KernelResources&) const = default;
};

/// Where a time comes from. An estimate is always called one. Written to disk, never renumber.
enum class TimeSource : int { measured = 0, estimated = 1 };

/// The time of one call at one size.
struct Measurement {
  std::string size;  ///< the size's label in the task
  TimeSource source = TimeSource::measured;
  double median_us = 0;
  double low_us = 0;  ///< confidence interval of the median
  double high_us = 0;
  int samples = 0;
  double floor_us = 0;     ///< physical lower bound on this device, 0 = not known
  double baseline_us = 0;  ///< the task's baseline, judged the same way, 0 = not known

  bool operator==(const Measurement&) const = default;
};

/// Something the judge saw in the source that a person or a model can act on.
struct Finding {
  std::string kind;  ///< "uncoalesced", "bank_conflict", "spill", "race", ...
  int line = 0;
  std::string message;

  bool operator==(const Finding&) const = default;
};

/// All that one trial found out. The result file of a job, and a row of the archive.
struct Evaluation {
  Verdict verdict = Verdict::harness_error;
  Stage stage = Stage::reply;  ///< the stage that decided
  std::string reason;          ///< one sentence for people
  std::string feedback;        ///< what the model may read: no paths, no tolerances, no seeds
  std::vector<Diagnostic> diagnostics;
  std::vector<KernelResources> resources;
  std::vector<Measurement> measurements;
  std::vector<Finding> findings;
  std::string device;   ///< what it ran on, in words
  std::string seed;     ///< of the inputs, to repeat the trial; empty before validate
  double device_s = 0;  ///< time the device was held
  std::map<std::string, double> stage_s;  ///< wall time by stage name

  bool operator==(const Evaluation&) const = default;

  [[nodiscard]] bool valid() const { return verdict == Verdict::ok; }
};

/// Holds each size's time against the baseline's at the same size.
void add_baseline_times(Evaluation& evaluation, const Evaluation& baseline);

/// The number the search minimises: the geometric mean of the medians over the measured sizes.
/// Absent when nothing was measured.
std::optional<double> score_us(const Evaluation& evaluation);

/// Geometric mean of baseline over median; absent when a size lacks its baseline.
std::optional<double> speedup(const Evaluation& evaluation);

/// Geometric mean of floor over median, in (0, 1]; absent when a size lacks its floor.
std::optional<double> roofline_share(const Evaluation& evaluation);

}  // namespace warpwright
