// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding_kind.h"
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

/// Which results of the calls behind a time were held against the reference. Written to disk by
/// name; the first stands for results of older versions, which do not say.
inline constexpr std::array<std::string_view, 4> kCheckedNames = {
    "unknown",
    "all",      ///< every element of at least one whole call
    "sampled",  ///< all that a part of the blocks wrote
    "none",     ///< faults and hangs alone were looked for
};
using Checked = Choice<kCheckedNames>;

/// The time of one call at one size.
struct Measurement {
  std::string size;  ///< the size's label in the task
  TimeSource source = TimeSource::measured;
  double median_us = 0;
  double low_us = 0;  ///< confidence interval of the median
  double high_us = 0;
  int samples = 0;
  double floor_us = 0;         ///< physical lower bound on this device, 0 = not known
  double baseline_us = 0;      ///< the task's baseline, judged the same way, 0 = not known
  int dropped = 0;             ///< of the samples, as outliers, before the interval was made
  int throttled = 0;           ///< taken while the GPU was slowed down; not among the samples
  double host_us = 0;          ///< what `solve` takes on the host for one call
  double host_excess_us = 0;   ///< of it, what launching alone would not take
  std::vector<double> raw_us;  ///< the samples in their order, at most kMaxRawSamples
  Checked checked;
  double weight = 1;  ///< of the size in scores and means

  bool operator==(const Measurement&) const = default;
};
inline constexpr std::size_t kMaxRawSamples = 500;

/// What a call costs its caller, and what scores are made of: the device's time, and the host's as
/// far as it exceeds a launch.
inline double call_us(const Measurement& m) { return m.median_us + m.host_excess_us; }

/// What a comparison says of its first kernel. Written to disk by name.
enum class Order : int { same = 0, faster = 1, slower = 2 };
std::string_view name_of(Order order);  ///< "faster"
std::optional<Order> order_named(std::string_view name);

/// A ratio of times, the first kernel's over the second's, and where it lies.
struct Ratio {
  double value = 1;
  double low = 1;
  double high = 1;

  bool operator==(const Ratio&) const = default;
};

/// Two kernels at one size, measured in turns.
struct SizeComparison {
  std::string size;
  TimeSource source = TimeSource::measured;
  Order order = Order::same;
  Ratio ratio;
  double margin = 0;    ///< the least relative difference that counts
  double first_us = 0;  ///< medians of what a call costs its caller, as call_us()
  double second_us = 0;
  double first_host_us = 0;  ///< of it, the host's beyond launching
  double second_host_us = 0;
  int pairs = 0;
  int throttled = 0;  ///< pairs taken while the GPU was slowed down; not among the others
  std::vector<double> first_raw_us, second_raw_us;  ///< element i of both belong together

  bool operator==(const SizeComparison&) const = default;
};

/// The candidate against a rival in one process: what `warpwright compare` asks for.
struct Comparison {
  std::string failed;  ///< "first" or "second": whose verdict is bad; empty = both are ok
  Order order = Order::same;
  Ratio ratio;  ///< geometric mean over the sizes
  std::vector<SizeComparison> sizes;

  bool operator==(const Comparison&) const = default;
};

/// Something the judge saw in the source that a person or a model can act on.
struct Finding {
  FindingKind kind;
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
  /// What was to be checked and could not be, with the reason: the verdict is then no `ok`.
  std::vector<std::string> unchecked;
  std::string device;   ///< what it ran on, in words
  std::string seed;     ///< of the inputs, to repeat the trial; empty before validate
  double device_s = 0;  ///< time the device was held
  std::map<std::string, double> stage_s;        ///< wall time by stage name
  std::map<std::string, std::string> manifest;  ///< how times were taken; docs/formats.md
  std::optional<Comparison> comparison;         ///< when the job has a rival

  bool operator==(const Evaluation&) const = default;

  [[nodiscard]] bool valid() const { return verdict == Verdict::ok; }
};

/// Holds each size's time against the baseline's at the same size.
void add_baseline_times(Evaluation& evaluation, const Evaluation& baseline);

/// Whether a right kernel took clearly less than the floor: then the floor is none. It counts the
/// operations of the task as written, at the speed of plain arithmetic in the task's own type; a
/// kernel may find fewer, or use tensor cores.
bool is_below_floor(const Measurement& measurement);

/// The number the search minimises: the geometric mean of call_us() over the measured sizes, by
/// their weights, as all means below.
/// Absent when nothing was measured, or something could not be checked: a size that is missing
/// counts as infinitely slow.
std::optional<double> score_us(const Evaluation& evaluation);

/// Geometric mean of baseline over call_us(); absent when a size lacks its baseline.
std::optional<double> speedup(const Evaluation& evaluation);

/// Geometric mean of floor over call_us(), in (0, 1]; absent when a size lacks its floor.
std::optional<double> roofline_share(const Evaluation& evaluation);

/// Whether some size counts more than another.
bool has_weights(const Evaluation& evaluation);

/// SOL-ExecBench's score of one time: 1 / (1 + (kernel - floor) / (baseline - floor)). 0.5 at the
/// baseline, 1 at the speed of light. A baseline at the floor leaves 1 to kernels there, 0 to
/// others.
double sol_score(double kernel_us, double baseline_us, double floor_us);

/// Mean of the sizes' scores, in [0, 1]; absent when a size lacks its floor or its baseline.
std::optional<double> sol_score(const Evaluation& evaluation);

}  // namespace warpwright
