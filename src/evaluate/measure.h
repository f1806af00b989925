// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "evaluate/host_checks.h"
#include "evaluate/session.h"
#include "evaluate/stages.h"
#include "profile/clock_watch.h"
#include "profile/roofline.h"
#include "profile/timing.h"

namespace warpwright::evaluate {

/// A size to be measured.
struct Sized {
  const TaskSize* size = nullptr;
  std::size_t number = 0;  ///< among the timed ones
  std::size_t left = 1;    ///< timed sizes that share the remaining time, this one included
  profile::Roofline roof;
};
Result<std::vector<Sized>> sized_of(const Session& session);

/// Several sets of inputs, each with buffers of its own, so that no input is still in a cache, and
/// no address or value is met twice in a row. One where memory is short.
Result<std::vector<LoadedCase>> load_sets(Session& session, const Sized& sized);

/// The same places without inputs: calls get theirs one by one.
Result<std::vector<LoadedCase>> load_places(Session& session, const Sized& sized);

/// One of those sets, with the host's copy of its inputs: it has been with the first set of the
/// same values so far. Once per size.
LoadedCase& with_inputs(std::vector<LoadedCase>& sets, std::size_t number);

/// Runs a part of the blocks, and up to 16 times as many while they do too little: where blocks
/// have uneven numbers of tiles, the few may be those that have less. What does too little even so,
/// or has a fault, or ran as a whole, is what is returned.
Result<device::RunReport> run_enough(
    device::Replay& replay, device::RunOptions options,
    const std::function<Result<bool>(const device::RunReport&)>& does_too_little);

/// One call on the SIMT machine, of a part of the blocks where there are many, with inputs that
/// repeat after 2^20 elements and nobody to check the results. Of a size that is judged
/// enough blocks to do their share; else a lower bound is enough.
struct SampledRun {
  device::RunReport report;
  const LaunchPlan* plan = nullptr;  ///< the candidate's
};
Result<SampledRun> run_sampled(Session& session, const TaskSize& size, std::uint64_t seed,
                               const Sized* judged = nullptr);

/// The time of one size on the SIMT machine: of the run whose results were checked, or of a part of
/// the blocks, with what they wrote checked where that can be done. Nothing where the results could
/// not be checked: then the size is unchecked.
Outcome<std::optional<Measurement>> estimate_size(Validated& validated, const Sized& sized);

/// The judge's own kernel, on a GPU, for a request that is timing_only.
Outcome<Measurement> time_without_checks(Session& session, const Sized& sized);

/// A timed run. Faults go to `faults`, and are an error here. `shifted` as in RunOptions.
Result<double> timed_run(const Session& session, device::Replay& replay, std::uint64_t call,
                         std::vector<device::Fault>& faults, bool shifted = false);

/// The verdict on a time that is below what the hardware needs; else nothing.
std::optional<Ended> impossible(const Sized& sized, double median_us);

/// Whether a call on new inputs took clearly longer than each of those on known inputs just before:
/// a GPU that is slow for a moment is slow for both kinds.
bool slower_on_new_inputs(double fresh_us, std::span<const double> known_us);

/// Ended where calls are slower on inputs that none before has seen: wherever a kernel keeps
/// answers, it has to compute these. The sets hold other inputs afterwards.
Outcome<> check_fresh_inputs(Session& session, const Sized& sized, std::vector<LoadedCase>& sets,
                             double median_us);

profile::WarmUp warm_up_of(const Session& session, const Sized& sized);

/// How long sampling of this size may take, at most `most_s`.
double sampling_s(const Context& context, const Sized& sized, double most_s);

/// Watches the session's GPU; knows nothing elsewhere, and then a note says so.
class GpuWatch {
 public:
  explicit GpuWatch(Session& session);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  profile::ClockWatch* get() { return &watch_; }
  /// Notes what was seen, and everything else that one needs to take the same times again.
  void write_manifest(const Session& session, std::size_t input_sets) const;

 private:
  device::GpuMonitor* monitor_ = nullptr;
  profile::ClockWatch watch_;
};

/// A size whose timed calls are still to be compared on the host: their results are there.
struct Unconfirmed {
  const Sized* sized = nullptr;
  double median_us = 0;
  std::string coverage;  ///< as CallChecks tells it
  std::vector<HostCheck> checks;
};

/// Times all sizes with all checks, small ones in turns. Sizes whose results are compared on the
/// host are added to `later`, and need no device any more.
Outcome<std::vector<Measurement>> time_sizes(Validated& validated, std::span<const Sized> sizes,
                                             GpuWatch& watch, std::vector<Unconfirmed>& later);

/// What must hold for a size's time to count, once its results are at hand: they are right, and the
/// time is possible. `turn` as in conclude_on_host.
Outcome<> conclude_size(Session& session, Unconfirmed size, verify::DeviceTurn* turn);

/// At most kMaxRawSamples, to the nanosecond.
std::vector<double> kept_raw(std::span<const double> samples_us);

}  // namespace warpwright::evaluate
