// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "simt/native/compiler.h"
#include "simt/native/text.h"
#include "simt/state/worker.h"

// The compiled mode: a kernel as C, translated by clang and loaded into this process. It runs warps
// whose 32 lanes walk together, on the interpreter's registers, memory and counters; what it does
// not do itself, it has the interpreter's handlers do, one instruction or a whole way at a time. So
// results, counts and reports are the same.

namespace warpwright::simt {

/// What compiled code needs of its worker; prelude.cpp tells it where.
struct NativeState {
  const Ins* (*slow)(Warp*, std::uint32_t id);  ///< the handler, and on from there
  const Ins* (*out_of_fuel)(Warp*, std::uint32_t id);
  void (*check)(Warp*, std::uint32_t id, std::uint64_t at, std::uint64_t span);
  void (*check_global)(Warp*, const AccessMemo*, std::uint32_t id, std::uint64_t at,
                       std::uint32_t span, std::uint32_t bytes, std::uint32_t writes);
  void (*check_strided)(Warp*, std::uint32_t id, std::uint64_t at, std::uint64_t step);
  std::uint32_t (*loads_clean)(Warp*, std::uint32_t id, std::uint64_t at, std::uint64_t span,
                               std::uint32_t uniform);
  void (*one)(Warp*, std::uint32_t id);  ///< the handler of this instruction alone
  const Ins* (*exit)(Warp*);             ///< of all lanes
  const Ins* code = nullptr;
  AccessMemo* memos = nullptr;
  AccessStats* stats = nullptr;
  std::uint64_t* hits = nullptr;  ///< by instruction: simple accesses
  std::byte* arena = nullptr;
  std::uint8_t* touched[2] = {};
  std::uint8_t* valid = nullptr;        ///< as Memory::valid_bits()
  std::uint64_t* race_lines = nullptr;  ///< as of the launch
  std::uint64_t many_threads = 0;
};

/// A kernel in two forms: C compiled for this machine, and a copy of the code whose entry points
/// lead there.
struct NativeCode {
  std::shared_ptr<const Program> program;  ///< owns what the copy points to
  Kernel kernel;
  std::vector<Handler> original;        ///< by instruction
  std::vector<Ins> alone;               ///< by instruction, two each: it, and a stop
  std::vector<std::uint32_t> entry_of;  ///< by instruction
  NativeText text;
  NativeLibrary library;
  const Ins* (*run)(Warp*, std::uint32_t entry) = nullptr;
  double compile_s = 0;
};

/// How often the parts of a kernel ran.
struct KernelRuns {
  double seconds = 0;  ///< interpreted
  std::vector<BlockCount> counts;
  std::vector<AccessStats> stats;  ///< requests and sectors only

  void add(const Worker& worker);
};

/// How many times as fast compiled code would have been, roughly; 0 when there can be none.
double expected_gain(const Kernel& kernel, const NativeVariant& variant, const KernelRuns& runs);

/// Compiled kernels of a machine, and those that cannot be compiled.
class NativeCache {
 public:
  /// Compiles on first use. The error says why the kernel stays interpreted.
  Result<const NativeCode*> get(const std::shared_ptr<const Program>& program, const Kernel& kernel,
                                const NativeVariant& variant);
  /// What a kernel has done so far, to be added to.
  KernelRuns& runs(const Kernel& kernel) { return runs_[&kernel]; }
  /// Kernels that are not worth compiling.
  void give_up(const Kernel& kernel, const NativeVariant& variant) {
    given_up_.insert({&kernel, variant});
  }
  [[nodiscard]] bool given_up(const Kernel& kernel, const NativeVariant& variant) const {
    return given_up_.contains({&kernel, variant});
  }

 private:
  using Key = std::pair<const Kernel*, NativeVariant>;
  std::map<Key, std::unique_ptr<NativeCode>> codes_;
  std::map<Key, std::string> refused_;
  std::map<const Kernel*, KernelRuns> runs_;
  std::set<Key> given_up_;
};

/// Decides when a launch changes over from the interpreter to compiled code: at its start when that
/// is asked for or the kernel has taken long before, else when what is left of it is long against
/// the time that compiling takes. Never, unless asked for, where little would be gained.
class TierUp {
 public:
  using Clock = std::chrono::steady_clock;
  TierUp(NativeCache& cache, std::shared_ptr<const Program> program, const Kernel& kernel,
         Clock::time_point started)
      : cache_(cache), program_(std::move(program)), kernel_(kernel), started_(started) {}
  void start(LaunchState& s);
  /// After a block; any worker.
  void consider(const Worker& worker, std::size_t blocks_begun);
  void finish(LaunchState& s, const std::vector<Worker>& workers, LaunchReport& report);

 private:
  void compile(LaunchState& s);
  bool pays(const LaunchState& s, const KernelRuns& runs);

  NativeCache& cache_;
  std::shared_ptr<const Program> program_;
  const Kernel& kernel_;
  Clock::time_point started_;
  std::mutex busy_;
  double compiled_s_ = -1;  ///< when compiled code was there, after the start
  std::string refusal_;
  std::atomic<bool> refused_{false};
};

/// The variant of a kernel's code that a launch needs.
NativeVariant variant_for(const Launch& launch);

/// Makes a worker ready to run compiled code.
void prepare_native(Worker& worker, const NativeCode& code);
/// Adds the accesses of compiled code to the worker's statistics.
void merge_native(Worker& worker, const NativeCode& code);

}  // namespace warpwright::simt
