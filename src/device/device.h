// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/judge_choices.h"
#include "core/launch_plan.h"
#include "simt/estimate.h"
#include "simt/state/schedule.h"

namespace warpwright::device {

/// What a candidate did wrong on the device, in terms its author can act on.
struct Fault {
  Verdict verdict = Verdict::launch_error;
  FindingKind kind;
  std::string kernel;   ///< its name in the PTX, empty = not known
  int line = 0;         ///< in the candidate's source, 0 = not known
  std::string message;  ///< one sentence: what, where, which block, thread and buffer
};

/// What a device is, and what its times are worth.
struct DeviceInfo {
  DeviceFacts facts;
  std::string description;  ///< "NVIDIA H200 (driver 13.0)", "SIMT machine, estimating for ..."
  TimeSource time_source = TimeSource::measured;
  double timer_overhead_us = 0;  ///< what the clock reads around nothing
  double empty_kernel_us = 0;    ///< and around a kernel that does nothing; 0 = not known
  std::uint64_t free_bytes = 0;  ///< memory that buffers may take
  bool was_idle = true;          ///< when this candidate got it: clocks may have gone down
};

/// A compiled candidate. A device takes the form it prefers and falls back on the other.
struct Code {
  std::string ptx;
  std::string cubin;
  std::string source_file;  ///< the candidate's name in the line information
  /// The PTX only tells about variables; a cubin that the device refuses is an error.
  bool cubin_only = false;
};

using ModuleId = int;
using BufferId = int;

/// A module, or what keeps the device from running it.
struct Loaded {
  ModuleId module = -1;
  std::optional<Fault> fault;
};

/// What a pointer argument of `solve` gets, and what happens to it before each run.
struct Binding {
  enum class Before {
    keep,     ///< an input: left alone
    poison,   ///< an output: random bits
    restore,  ///< an inout: a copy of `pristine`
  };
  BufferId buffer = -1;
  Before before = Before::keep;
  BufferId pristine = -1;
};

/// How one run is to be done.
struct RunOptions {
  std::uint64_t poison_seed = 0;
  /// What outputs hold before a simulated run. A user's memory holds anything.
  enum class Outputs {
    random,  ///< random bits
    zeros,
    last,  ///< what the run before left there, a third of its words replaced by random bits
  };
  Outputs outputs = Outputs::random;
  /// Wants elapsed_us: caches flushed before, nothing but the plan inside the timed span.
  bool timed = false;
  /// How a GPU gets the steps of a timed run.
  enum class By {
    length,  ///< a few steps directly, many through a graph
    graph,   ///< where the plan allows it
    direct,
  };
  By by = By::length;
  /// One more empty launch before a timed run: what follows lies one place on in the driver's ring
  /// of launches (evaluate/turns.h says why).
  bool shifted = false;
  /// A device that simulates may run a part of the blocks; outputs are then partial.
  bool may_sample = false;
  std::uint64_t sample_times = 1;  ///< as many times as many blocks as the device would choose
  /// In which order a device that simulates runs blocks and warps.
  simt::Schedule schedule;
  /// All checks of a device that simulates, also when timed.
  bool all_checks = false;
  double limit_s = 10;  ///< on a GPU, wall time; then the fault is a time-out
  /// Of each simulated launch, in warp instructions: how busy the host is must not matter. Beyond
  /// it the fault is a time-out.
  std::uint64_t work = 250'000'000;
  /// As simt::LaunchOptions has it; then `work` is the limit of all launches together.
  bool exact_work = false;
  /// A simulated launch with more work is no fault: its time is a lower bound.
  bool bound_is_enough = false;
  /// Wants RunReport::launches, from a device that has them.
  bool keep_launches = false;
};

/// One launch of a plan as the SIMT machine saw it.
struct LaunchDetail {
  std::string kernel;  ///< its name in the PTX
  simt::LaunchReport report;
  simt::Estimate estimate;
};

struct RunReport {
  std::vector<Fault> faults;  ///< empty = the plan ran to its end
  std::vector<Finding> findings;
  /// What a careful run did not look at; of a run that was not to be careful nothing.
  std::vector<simt::Unchecked> unchecked;
  std::vector<KernelResources> resources;  ///< one per kernel of the plan
  double elapsed_us = 0;                   ///< when timed
  bool complete = true;                    ///< every block was run
  double written_bytes = 0;                ///< to global memory, about: of simulated timed runs
  std::uint64_t lane_instructions = 0;     ///< simulated, 0 = not counted
  std::uint64_t warp_instructions = 0;     ///< likewise
  std::uint64_t work = 0;                  ///< likewise, as RunOptions::work counts it
  std::vector<LaunchDetail> launches;      ///< in order, when asked for
};

/// A kernel of the judge's own (verify/oracle): it takes one plain struct, by value.
struct OwnLaunch {
  ModuleId module = -1;
  std::string_view kernel;
  Dim3 grid;
  std::uint32_t threads = 256;  ///< of a block
  std::span<const std::byte> call;
};

/// A plan with its addresses relocated, ready to run any number of times. Each run starts from the
/// module's initial state: mutable globals are reset, scratch memory is poisoned. It must not
/// outlive its device.
class Replay {
 public:
  virtual ~Replay() = default;
  /// The error is the device's failure, never the candidate's. After a fault that the hardware
  /// does not survive, every further call on the device is an error.
  virtual Result<RunReport> run(const RunOptions& options) = 0;
  /// The steps of a plan of the judge's own, behind what was queued before: nothing is poisoned or
  /// restored, and nobody waits.
  virtual Status queue() = 0;
};

/// any: no matter. validated: buffers lie now so, now so in their pages, so that code cannot tell
/// from that whether it is judged. timed: in memory that serves nothing else, so that later
/// evaluations like this one meet the same: where data lies may be worth a tenth of a time.
enum class BufferUse { any, validated, timed };

/// One interface over a GPU and the SIMT machine. Not for use by several threads.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  virtual Result<Loaded> load(const Code& code) = 0;
  /// Gives a module's memory back. No replay of it may be run any more.
  virtual void unload(ModuleId /*module*/) {}
  /// Code of the judge's own, which has no state. It may stay loaded for later candidates.
  virtual Result<Loaded> load_own(const Code& code) { return load(code); }
  /// Aligned to 256 bytes, with memory around it that the candidate must not touch. The content
  /// is undefined until written.
  virtual Result<BufferId> allocate(std::uint64_t bytes, std::string_view name) = 0;
  virtual void release(BufferId buffer) = 0;
  /// What buffers are allocated for from now on, where that makes a difference to the device.
  virtual void allocate_for(BufferUse /*use*/) {}
  virtual Status upload(BufferId to, std::span<const std::byte> bytes) = 0;
  /// The content of one buffer to another of the same size.
  virtual Status copy(BufferId to, BufferId from) = 0;
  virtual Status download(std::span<std::byte> to, BufferId from) = 0;
  /// digest_of() of its content (digest.h), which need not leave the device.
  virtual Result<std::uint64_t> digest(BufferId of, std::uint64_t key) = 0;
  /// Where a buffer lies, for kernels of the judge's own.
  [[nodiscard]] virtual std::uint64_t address(BufferId buffer) const = 0;
  /// Fills it with zeros. Queued, as launches are.
  virtual Status clear(BufferId buffer) = 0;
  virtual Status launch(const OwnLaunch& launch) = 0;
  /// `bindings` has one entry per argument of `solve`; those of scalars are ignored. A plan that
  /// this device cannot hold or launch gives a Replay whose run reports the fault.
  virtual Result<std::unique_ptr<Replay>> prepare(ModuleId module, const LaunchPlan& plan,
                                                  std::span<const Binding> bindings) = 0;
  /// The same for a rival that is run in turns with `sibling`, never at once: where both need
  /// scratch memory of one size they get the same, because where memory lies shows in short times.
  virtual Result<std::unique_ptr<Replay>> prepare_beside(const Replay& /*sibling*/, ModuleId module,
                                                         const LaunchPlan& plan,
                                                         std::span<const Binding> bindings) {
    return prepare(module, plan, bindings);
  }

  // A device may stay open between candidates. It belongs to one at a time, from open_device() or
  // attach() to detach(), and what a candidate sees must not depend on those before it.

  /// Takes the device again, for this thread. Waits up to wait_s for other judges.
  virtual Status attach(double /*wait_s*/) { return {}; }
  /// Forgets all modules and buffers, and lets others use the device. Replays must be gone.
  virtual void detach() {}
  /// An error once the context is lost: then nothing works any more.
  [[nodiscard]] virtual Status usable() const { return {}; }
  /// The context is lost, or holds something that cannot be undone: not for another candidate.
  [[nodiscard]] virtual bool worn() const { return true; }
};

/// Which device to open.
struct DeviceChoice {
  DeviceName device;            ///< "auto": CUDA where there is one, else SIMT
  std::string target = "h200";  ///< whose times the SIMT machine estimates
  CheckLevel checks;
  EngineChoice engine;
  bool bare = false;  ///< a GPU's buffers without guards and poison, under a checking tool
};

/// A choice with "auto" decided, and what is known of the device before it is opened: enough to
/// compile and record for it while others use it.
struct ResolvedDevice {
  DeviceChoice choice;
  bool is_cuda = false;
  DeviceFacts facts;
};
Result<ResolvedDevice> resolve_device(const DeviceChoice& choice);

/// A GPU is held by one judge at a time: waits up to wait_s for it.
Result<std::unique_ptr<Device>> open_device(const ResolvedDevice& resolved, double wait_s);

/// Whether "auto" would open a GPU. Never an error: no library and no GPU both mean no.
bool cuda_available();

/// Outputs hold patterns of at most so many bytes, one after the other, before a simulated call.
inline constexpr std::uint64_t kPoisonTileBytes = std::uint64_t{1} << 20;

/// Bytes of a seed's random pattern, the same on every device.
std::vector<std::byte> poison_pattern(std::uint64_t seed, std::size_t bytes);

/// While it lives, a device allocates for one use.
class AllocatingFor {
 public:
  AllocatingFor(Device& device, BufferUse use) : device_(device) { device_.allocate_for(use); }
  AllocatingFor(const AllocatingFor&) = delete;
  AllocatingFor& operator=(const AllocatingFor&) = delete;
  ~AllocatingFor() { device_.allocate_for(BufferUse::any); }

 private:
  Device& device_;
};

}  // namespace warpwright::device
