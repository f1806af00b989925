// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::simt {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// What can be wrong with a launch. Shown by name in reports and prompts.
enum class FaultKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  use_after_free,
  uninitialised_read,
  shared_race,
  global_race,
  conflicting_stores,  ///< lanes of one store write different values to one address
  divergent_barrier,
  deadlock,
  sync_mask,  ///< `*.sync` with a mask that its lanes cannot satisfy
  trap,
  assertion,
  timeout,
  warp_race,         ///< lanes of one warp share a word with no `__syncwarp` between them
  barrier_mismatch,  ///< warps of a block meet at one barrier from different lines
  barrier_count,     ///< a barrier's count of threads that cannot be right
  narrow_scope,      ///< atomics of block scope on a word that other blocks use
  benign_race,       ///< in no order, but the outcome is the same
};

/// "out of bounds", for people.
std::string_view name_of(FaultKind kind);
/// "out_of_bounds", for programs.
std::string_view id_of(FaultKind kind);

/// One finding; repetitions at the same instruction are counted, the first is described.
struct Fault {
  FaultKind kind{};
  std::string kernel;
  std::string file;        ///< from `.file`; empty without line information
  std::uint32_t line = 0;  ///< source line; 0: unknown
  std::uint32_t ptx_line = 0;
  Dim3 block, thread;
  std::uint64_t address = 0;
  std::string space;        ///< "global", "shared", "local", ...; empty where meaningless
  std::string object;       ///< the buffer or variable at or before the address; empty: none
  std::int64_t offset = 0;  ///< of the address in that object
  std::string detail;       ///< "12 bytes past the end of 'input' (4096 bytes)"
  std::uint64_t occurrences = 1;

  /// One line for people: kind, place, detail.
  [[nodiscard]] std::string describe() const;
};

/// Instruction classes of the counts.
enum class OpClass : std::uint8_t {
  integer,
  move,  ///< mov, cvta, ld.param, selp: mostly free on hardware
  convert,
  fp32,
  fp64,
  fp16,     ///< half and bfloat16
  special,  ///< approximate functions
  math,     ///< calls of the math library
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_local,
  store_local,
  load_const,
  atomic,
  control,
  barrier,
  warp,  ///< shuffles, votes
  tensor,
  count_,
};
inline constexpr std::size_t kOpClasses = static_cast<std::size_t>(OpClass::count_);

std::string_view name_of(OpClass c);

struct ClassCount {
  std::uint64_t warps = 0;  ///< warp instructions
  std::uint64_t lanes = 0;  ///< lane instructions, i.e. warps times active lanes
};

/// Memory traffic of one source line (or PTX line where there is no line information).
struct LineTraffic {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;  ///< first of the line's instructions
  bool is_store = false;
  bool is_shared = false;
  std::uint64_t requests = 0;  ///< warp-wide accesses
  std::uint64_t lanes = 0;
  std::uint64_t bytes = 0;       ///< bytes asked for
  std::uint64_t sectors = 0;     ///< global: 32-byte sectors moved
  std::uint64_t wavefronts = 0;  ///< shared: passes; equal to `ideal_wavefronts` without conflicts
  std::uint64_t ideal_wavefronts = 0;

  [[nodiscard]] std::uint64_t wasted_bytes() const {
    return sectors * 32 > bytes ? sectors * 32 - bytes : 0;
  }
};

/// Branches of one source line.
struct LineDivergence {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;
  std::uint64_t branches = 0;   ///< warp executions
  std::uint64_t divergent = 0;  ///< of those, with lanes going both ways
};

struct Flops {
  std::uint64_t fp16 = 0, fp32 = 0, fp64 = 0, special = 0, tensor = 0;
  [[nodiscard]] std::uint64_t total() const { return fp16 + fp32 + fp64 + special + tensor; }
};

/// Everything executed for one source line.
struct LineCount {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;
  std::uint64_t warps = 0;  ///< warp instructions
  std::uint64_t lanes = 0;  ///< lane instructions
  std::uint64_t flops = 0;  ///< of all classes
  std::uint64_t most = 0;   ///< executions by a warp of the instruction executed most
  std::uint64_t atomic_requests = 0, atomic_lanes = 0;
  std::uint64_t atomic_serialised = 0;  ///< lanes that waited for another one of their warp
  std::uint64_t local_sectors = 0;
  std::uint64_t barriers = 0;  ///< warp arrivals
};

/// What the results of a piece of code take to be there, one after the other.
struct Chain {
  double cycles = 0;  ///< of instructions whose latency is known
  double loads = 0;   ///< of global memory, and atomics, that are waited for in sequence
  double copies = 0;  ///< asynchronous ones, waited for or not
};

/// Exact counts of one launch, or of the blocks that were run.
struct Counts {
  std::array<ClassCount, kOpClasses> by_class{};
  Flops flops;
  std::uint64_t global_load_sectors = 0, global_store_sectors = 0;
  std::uint64_t global_load_requests = 0, global_store_requests = 0;
  std::uint64_t global_load_bytes = 0, global_store_bytes = 0;
  std::uint64_t shared_wavefronts = 0, shared_ideal_wavefronts = 0;
  std::uint64_t atomic_requests = 0, atomic_lanes = 0;
  std::uint64_t atomic_lanes_shared = 0;  ///< of those, in shared memory
  /// Lanes that had to wait for another lane of their warp at the same address.
  std::uint64_t atomic_serialised = 0;
  std::uint64_t atomic_serialised_shared = 0;  ///< the same in shared memory
  /// Updates of the 32 bytes of global memory that got most, and how many of them were at another
  /// address there than the one before.
  std::uint64_t atomic_hottest = 0, atomic_hottest_switches = 0;
  std::uint64_t barriers = 0;  ///< warp arrivals
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t local_sectors = 0;
  /// Most warp instructions that one warp executed, waiting aside: the length of the longest path.
  std::uint64_t longest_warp = 0;
  Chain chain;  ///< of all warps: the chains of the blocks of code that they went through

  [[nodiscard]] std::uint64_t warp_instructions() const;
  [[nodiscard]] std::uint64_t lane_instructions() const;
};

/// Something that the checks of a launch did not look at.
struct Unchecked {
  std::string kind;    ///< "order_between_blocks", "memory_of_checks", ...
  std::string reason;  ///< one sentence
  bool operator==(const Unchecked&) const = default;
};

struct LaunchReport {
  std::vector<Fault> faults;
  std::vector<Unchecked> unchecked;  ///< of full checks; empty: nothing was left out
  Counts counts;
  /// Of `counts`: what warps did only to ask once more whether others are done. A GPU asks another
  /// number of times.
  Counts asking;
  std::uint64_t waits = 0;       ///< how often a warp had to ask more than once
  std::uint64_t most_waits = 0;  ///< of one warp
  bool may_wait = false;         ///< the text has loops in which blocks may wait for others
  bool shares_work = false;      ///< which block does how much depends on who comes first
  bool stuck = false;            ///< the blocks of a sample waited for others: they have not ended
  std::vector<LineTraffic> traffic;
  std::vector<LineDivergence> divergence;
  std::vector<LineCount> lines;  ///< by file and line
  std::uint64_t blocks_total = 0;
  std::uint64_t blocks_run = 0;       ///< less than blocks_total when only a sample was run
  std::uint64_t touched_bytes = 0;    ///< distinct sectors of global memory touched, in bytes
  std::uint64_t touched_of_grid = 0;  ///< what all blocks would touch: no more than buffers hold
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;   ///< static and dynamic, per block
  std::uint32_t registers = 0;      ///< estimate per thread
  std::uint32_t local_bytes = 0;    ///< per thread
  std::string printed;              ///< what device printf wrote
  std::uint64_t work = 0;           ///< taken of LaunchOptions::max_warp_instructions
  std::uint64_t sums = 0;           ///< of matrix instructions: warp instructions that take as long
  double wall_s = 0;                ///< time of this machine, not of a GPU
  bool compiled = false;            ///< by the compiled engine, at least in part
  std::string interpreted_because;  ///< why it was not, where it should have been

  [[nodiscard]] bool clean() const { return faults.empty(); }
};

}  // namespace warpwright::simt
