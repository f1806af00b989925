// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/gpu_clocks.h"
#include "profile/timing.h"
#include "reorder/disturbance.h"
#include "reorder/workload.h"

namespace warpwright::reorder {

/// How a schedule behaved on the device.
struct Behaviour {
  enum class Kind : int { same, different, fault };
  Kind kind = Kind::same;
  std::string why;            ///< one line; of the same only what it met
  std::uint64_t outputs = 0;  ///< elements that were compared
};

/// What an arena has beside its device; all of it outlives the arena. Without other work or clocks
/// that can be set, results are compared without them.
struct Surroundings {
  InputSource inputs;  ///< empty: by type
  device::OtherWork* other_work = nullptr;
  device::GpuClocks* clocks = nullptr;
};

/// A device with a kernel as it was built and its workload: schedules are held against it. Every
/// output byte counts, through keyed digests that are made on the device.
class Arena {
 public:
  /// Refuses a kernel whose own results differ between runs, whatever it meets.
  static Result<std::unique_ptr<Arena>> open(device::Device& device, Workload workload,
                                             std::string cubin, std::string ptx,
                                             Surroundings surroundings = {});

  /// Runs it on input sets [first, first + count) of all cases, and compares.
  Result<Behaviour> check(const std::string& cubin, std::uint64_t first, std::uint64_t count);
  /// The same on the timed case until so many outputs were compared, or the time is up: with all
  /// disturbances in turns.
  Result<Behaviour> check_many(const std::string& cubin, std::uint64_t outputs, double limit_s);
  /// Input sets [0, sets) of all cases, so of all grids, under each disturbance and at each clock
  /// that may be set, or as far as the time goes. What it met is in `why`.
  Result<Behaviour> fuzz(const std::string& cubin, std::uint64_t sets, double limit_s);
  /// One input set of all cases, then a few runs of the timed case beside as many of the original:
  /// the ratio to it. Nothing where it behaved in another way, or faulted.
  Result<std::optional<double>> trial(const std::string& cubin, std::uint64_t set);
  /// It and a rival in turns, by the judge's own rules; an empty rival is the kernel as it was
  /// built.
  Result<profile::PairedTiming> paired(const std::string& cubin, double limit_s,
                                       const std::string& rival = "");
  /// The median time of the kernel as it was built.
  Result<double> original_us();

  /// Of the last call that saw one: then the device is lost.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  struct Place {  ///< one case with its buffers
    const WorkCase* item = nullptr;
    std::vector<device::Binding> bindings;
    std::unique_ptr<device::Replay> original;
    double us = 0;                                                ///< of its last timed run
    std::uint64_t filled = static_cast<std::uint64_t>(-1);        ///< the set in its inputs
    std::map<std::uint64_t, std::vector<std::uint64_t>> digests;  ///< of the original, by set
  };
  struct Candidate {
    device::ModuleId module = -1;
    std::vector<std::unique_ptr<device::Replay>> replays;  ///< by case
  };

  Arena(device::Device& device, Workload workload, std::string ptx, Surroundings surroundings)
      : device_(device),
        workload_(std::move(workload)),
        ptx_(std::move(ptx)),
        surroundings_(std::move(surroundings)) {}
  Status prepare(const std::string& cubin);
  Status prepare_place(Place& place, const WorkCase& item);
  /// Whether the kernel as it was built gives the same under every disturbance.
  Status repeats_itself(Place& place, std::uint64_t set);
  Result<Candidate> load(const std::string& cubin, std::size_t cases);
  void drop(Candidate& candidate);
  Status fill(Place& place, std::uint64_t set);
  [[nodiscard]] bool possible(const Disturbance& disturbance) const;
  Status disturb(const Place& place, const Disturbance& disturbance);
  /// Digests of all buffers after a run; nothing after a fault. Those of inputs are taken from
  /// `trusted`, where given.
  Result<std::optional<std::vector<std::uint64_t>>> digests_of(
      Place& place, device::Replay& replay, const Disturbance& disturbance,
      const std::vector<std::uint64_t>* trusted = nullptr);
  Result<const std::vector<std::uint64_t>*> expected(Place& place, std::uint64_t set);
  /// Compares a loaded schedule with the original on one input set of one case. Where they differ
  /// the original runs again: if that is what differs now, there is nothing to compare with.
  Result<Behaviour> compare_at(Candidate& candidate, std::size_t at, std::uint64_t set,
                               const Disturbance& disturbance, bool inputs_too = true);
  /// The same of all cases.
  Result<Behaviour> compare(Candidate& candidate, std::uint64_t set,
                            const Disturbance& disturbance);
  /// Under all disturbances, at the clock that is set. `whole`: the time was enough for all of it.
  Result<Behaviour> fuzz_all(Candidate& candidate, std::uint64_t sets, double end_s, bool& whole);
  Result<std::optional<double>> ratio_of(Candidate& candidate);
  Result<std::optional<double>> timed_run(device::Replay& replay);
  [[nodiscard]] std::uint64_t outputs_of(const Place& place) const;

  device::Device& device_;
  Workload workload_;
  std::string ptx_, original_cubin_;
  Surroundings surroundings_;
  device::ModuleId module_ = -1;
  std::vector<Place> places_;
  std::string fault_;
  std::uint64_t runs_ = 0;
  std::uint64_t key_ = 0x9e3779b97f4a7c15;
};

}  // namespace warpwright::reorder
