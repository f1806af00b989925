// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/limits.h"
#include "simt/state/clocks.h"
#include "simt/state/launch.h"
#include "simt/state/touched.h"
#include "simt/state/warp.h"

namespace warpwright::simt {

class TierUp;

/// What the accesses of one instruction added up to.
struct AccessStats {
  std::uint64_t requests = 0, lanes = 0, bytes = 0, sectors = 0;
  std::uint64_t shared_requests = 0, shared_lanes = 0, wavefronts = 0, ideal_wavefronts = 0;
  std::uint64_t serialised = 0;         ///< atomics, all spaces
  std::uint64_t serialised_shared = 0;  ///< of those, in shared memory
};

/// An allocation that an instruction has touched. Compiled code knows the order.
struct KnownBuffer {
  Address low = 1, high = 0;
  bool fully_valid = false;
  bool read_only = false;
  bool quiet = false;  ///< only read in this launch; never set where an instruction writes
  const std::atomic<std::uint8_t>* uses = nullptr;  ///< what was done to it so far

  /// Reads of what everybody only reads, and the host wrote, are always fine.
  [[nodiscard]] bool carefree() const { return quiet && fully_valid; }
  [[nodiscard]] bool unread() const {
    return uses != nullptr && (uses->load(std::memory_order_relaxed) & kRead) == 0;
  }
  [[nodiscard]] bool has(Address at, std::uint64_t bytes) const {
    return at >= low && at < high && bytes <= high - at;
  }
  /// Whether an instruction may go on without looking the allocation up.
  [[nodiscard]] bool serves(bool reads) const { return reads || !(read_only || quiet); }
};

/// What an instruction touched last, so that the next time costs one comparison. The costs of a
/// scattered access depend only on lanes, offsets between them and the base modulo a sector.
struct AccessMemo : KnownBuffer {
  std::uint32_t mask = 0;
  bool shared = false;    ///< what follows is of an access to shared memory
  bool distinct = false;  ///< no two lanes at one address, as far as is known
  std::uint8_t ideal = 0;
  std::uint8_t cost[kSectorBytes] = {};  ///< by where in a sector the first lane is; 0: not known
  KnownBuffer other;                     ///< the allocation before this one
  alignas(64) std::uint32_t offsets[kLanes] = {};
};

struct Barrier {
  const Ins* first = nullptr;  ///< where this phase's first warp arrived
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t counted = 0;   ///< the same as `expected` counts them: by whole warps
  std::uint32_t expected = 0;  ///< 0: every live thread of the block
  std::uint64_t phase = 0;
  std::uint32_t popc = 0, seen = 0;
  std::uint32_t result_popc = 0;
  bool result_all = false;
  Clock told;     ///< by those who arrived; see clocks.h
  Fenced fenced;  ///< the same of what they made visible
};

/// Who touched a word of shared memory since the last barrier.
struct SharedWord {
  std::uint32_t epoch = 0;
  std::uint8_t writer = 0, reader = 0;  ///< warp + 1; kMany: several
  std::uint8_t written = 0, read = 0;   ///< masks of bytes; kAtomic in `written`
};
static_assert(sizeof(SharedWord) == 8, "checks_shared.cpp also reads it as one number");

/// Words of shared memory that a warp has read, `step` words apart.
struct SharedRead {
  std::uint32_t first = 0, count = 0, step = 1, warp = 0;
};

/// What is known of a block's shared memory; checks_shared.cpp knows the forms. Reads since the
/// last barrier are only listed until somebody writes: before that, nobody asks for them. Compiled
/// code knows the order.
struct SharedShadow {
  static constexpr std::uint32_t kMostReads = 254;
  std::uint8_t* valid = nullptr;  ///< by word: a bit for each of its bytes that was written
  std::uint64_t* words = nullptr;
  std::uint64_t* writers = nullptr;  ///< by word
  std::uint64_t* lines = nullptr;    ///< by 32 words: what all of them are; 0: not known
  std::uint32_t interval = 0;        ///< as BlockState::epoch
  std::uint32_t may_wait = 0;        ///< nothing was written in this interval
  std::uint32_t waiting = 0;
  SharedRead reads[kMostReads];

  /// Where another check looks for races, nothing may look simple here.
  void start(std::uint32_t number, bool race_checks, bool elsewhere) {
    interval = number, may_wait = race_checks ? 1 : 0, waiting = elsewhere ? 1 : 0;
  }
};

/// An asynchronous copy that has been issued and not waited for.
struct PendingCopy {
  std::uint32_t lanes = 0;
  std::uint32_t to[kLanes] = {};
  std::array<std::byte, 16> data[kLanes] = {};
  std::uint8_t bytes = 0;
};

/// What one lane stores asynchronously.
struct AsyncStore {
  std::byte* to = nullptr;
  std::array<std::byte, 16> data = {};
  std::uint8_t bytes = 0;
};

/// A copy into shared memory under way, and the mbarrier that it reports to when it is done.
struct AsyncArrival {
  BlockState* block = nullptr;
  std::vector<PendingCopy> copies;  ///< of cp.async
  std::vector<std::byte> bulk;      ///< of a bulk copy, to `bulk_to`
  std::byte* bulk_to = nullptr;
  std::vector<AsyncStore> stores;  ///< of st.async
  std::uint32_t lanes = 0;         ///< that arrive
  std::uint32_t bytes = 0;         ///< that each of them completes; 0: it arrives as a thread does
  std::byte* barrier[kLanes] = {};
};

/// Blocks that run at the same time and see each other's shared memory.
struct Cluster {
  std::vector<BlockState*> blocks;  ///< by rank
  std::uint64_t phase = 0;          ///< barriers passed
  std::vector<AsyncArrival> arrivals;
};

/// An access to shared memory by a warp of another block of the cluster.
struct Visit {
  Warp* warp = nullptr;  ///< null: none
  const Ins* at = nullptr;
  std::uint32_t step = 0, lane = 0;
  Address address = 0;
};

/// Signs that a warp waits for others by trying again and again.
struct Spinning {
  bool asked = false;       ///< an atomic or volatile read in this slice of time
  std::uint32_t polls = 0;  ///< volatile reads in this slice
  std::int64_t spun = 0;    ///< warp instructions of slices in a row with either
  bool freed = false;       ///< lanes went on without the one that spins
};

struct BlockState {
  std::uint64_t rank = 0;
  Dim3 index;
  std::vector<Warp> warps;
  std::vector<Constant> moving;  ///< those that differ between blocks
  std::uint32_t live_threads = 0;
  std::uint32_t running_warps = 0;
  Barrier barriers[ptx::kLimits.barriers_per_block];
  bool used_barriers = false;
  std::uint32_t waiting = 0;  ///< barriers at which somebody has arrived, one bit each
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;
  /// What `shadow` points to.
  std::vector<std::uint8_t> shared_valid;
  std::vector<SharedWord> shared_words;
  std::vector<std::uint64_t> shared_lines, shared_writers;
  std::unique_ptr<SharedShadow> shadow;   ///< null without full checks
  std::vector<std::uint8_t> local_valid;  ///< by warp, lane and byte
  std::uint32_t epoch = 0;  ///< goes on from block to block, so that old words need no clearing
  bool race_checks = false;
  bool fenced = false;                ///< its warps may order each other by more than barriers
  std::unique_ptr<BlockOrder> order;  ///< null: only by barriers of the whole block
  bool follows_shared = false;        ///< `order` is what tells races in shared memory
  /// One bit a warp, since the last barrier: it made its writes visible (a fence or a releasing
  /// access); it asked what others did (an atomic, volatile or acquiring read).
  std::uint64_t released = 0, asked = 0;
  std::vector<std::deque<std::vector<PendingCopy>>> copies;  ///< by warp: groups, the last open
  bool copied = false;                                       ///< any of them
  std::vector<Spinning> spinning;                            ///< by warp
  Cluster* cluster = nullptr;
  std::uint32_t cluster_rank = 0;
  std::vector<std::uint32_t> cluster_arrived;  ///< by warp: lanes at the cluster's barrier
  std::vector<AsyncArrival> arrivals;
  std::vector<Visit> visits;  ///< by rank in the cluster and warp: the last access from there
  bool ended = false;         ///< all threads have exited: its shared memory is gone
  /// One bit a warp that has waited for the launch before this one; whether all are behind that.
  std::uint32_t awaited = 0;
  bool all_awaited = false;
  bool progressed = false;         ///< in the last turn
  std::vector<std::byte> storage;  ///< registers, constants, shared and local memory
};

/// What device code allocated by itself. Lives until the module is reset.
struct Heap {
  std::vector<Address> live;
  std::uint64_t bytes = 0;
};

/// What all workers of a launch share.
struct LaunchState {
  const Program* program = nullptr;
  const Kernel* kernel = nullptr;
  Memory* memory = nullptr;
  Heap* heap = nullptr;
  const Launch* launch = nullptr;
  std::vector<Address> symbols;       ///< by index into ast.variables; then the workspace
  std::vector<std::uint64_t> blocks;  ///< ranks to run; empty: all
  Dim3 cluster;
  std::uint64_t block_count = 0;
  [[nodiscard]] std::uint64_t rank(std::uint64_t i) const { return blocks.empty() ? i : blocks[i]; }
  bool full_checks = false, counts = true, cooperative = false, many_threads = false;
  [[nodiscard]] bool follows_shared() const { return kernel->orders_warps || clustered; }
  /// Of a block: the dynamic part begins where its alignment lets it.
  [[nodiscard]] std::uint32_t shared_bytes() const {
    const std::uint32_t fixed = kernel->static_shared_bytes, more = launch->dynamic_shared_bytes;
    const std::uint32_t align = kernel->dynamic_shared_align;
    return more == 0 ? fixed : (fixed + align - 1) / align * align + more;
  }
  bool in_turns = false;  ///< several blocks are resident: one that waits lets others run
  /// Forward, and the text has loops that ask for other blocks: one that does lets others run.
  bool lets_wait = false;
  std::uint64_t most_waiting = 0;  ///< then, blocks that are there at once
  bool held_at_once = false;       ///< blocks may wait for each other: the device holds all of them
  std::atomic<bool> stuck{false};  ///< the blocks of a sample wait for others
  bool clustered = false;          ///< blocks run in groups; `blocks` then names the groups
  std::atomic<const NativeCode*> native{nullptr};  ///< what blocks that start now run
  TierUp* tier_up = nullptr;                       ///< who decides about that
  std::uint64_t* race_writes = nullptr;            ///< by word; checks_global.cpp knows the form
  std::uint64_t* race_reads = nullptr;
  /// By allocation: nothing in this launch can write to it, as far as the kernel's text tells.
  std::vector<bool> quiet;
  std::atomic<bool> loud{false};        ///< somebody did: then all are as any other
  BufferUses uses;                      ///< by allocation
  std::uint64_t* race_lines = nullptr;  ///< by line of 128 bytes: its write and read; null: none
  std::chrono::steady_clock::time_point deadline{};  ///< of max_wall_s
  std::uint8_t* touched_read = nullptr;              ///< one byte per sector
  std::uint8_t* touched_written = nullptr;
  AccessLog* log = nullptr;        ///< wants to know of every byte
  AccessLog* early_log = nullptr;  ///< of those before the launch before this one has ended
  std::uint32_t tag = 1;
  std::unique_ptr<Ordering> ordering;  ///< null: blocks are not ordered by anything
  std::vector<Unchecked> unchecked;
  std::vector<std::atomic<std::uint8_t>> fenced;  ///< by block
  std::atomic<bool> any_fenced{false};
  std::atomic<bool> vague{false};  ///< parts of words were touched by more than can be told apart
  std::atomic<bool> stop{false};
  std::atomic<bool> broken{false};  ///< an access failed: a device would have ended the kernel
  std::size_t threads = 1;
  /// What threads change is not where all of them look.
  alignas(128) std::atomic<std::size_t> next_block{0};
  std::atomic<std::int64_t> budget{0};
};

/// Turns of a loop that only asks, after the first one.
struct WaitCount {
  std::uint64_t turns = 0, lanes = 0;
};

/// Atomic updates of 32 bytes of global memory.
struct HotSector {
  Address address = 0;      ///< 0: a free place
  Address last = 0;         ///< where the last update was
  std::uint64_t block = 0;  ///< and whose it was
  std::uint64_t updates = 0, switches = 0;
};

/// A store that races with another write, of which it is known after the store whether it changed
/// anything.
struct StoreRace {
  Warp* warp = nullptr;
  const Ins* at = nullptr;
  std::uint32_t lane = 0;
  FaultKind kind{};
  Address address = 0;
  std::string_view space;
  std::string detail;
  const std::byte* host = nullptr;
  std::array<std::byte, 16> before = {};
  std::uint32_t bytes = 0;
};

/// One thread of the host running blocks.
struct alignas(128) Worker {
  LaunchState* launch = nullptr;
  Turns turns;
  const Kernel* kernel = nullptr;  ///< the launch's, or its compiled copy
  std::vector<BlockCount> counts;
  std::vector<std::uint64_t> tally;      ///< by instruction: lanes turned off by the guard
  std::vector<std::uint64_t> divergent;  ///< by instruction
  std::vector<AccessStats> stats;
  std::vector<AccessMemo> memos;
  bool loud = false;  ///< it knows of LaunchState::loud
  /// By row of statistics: accesses of whole warps to shared memory at one address, at neighbours.
  std::vector<std::uint64_t> simple;
  std::vector<Extent> extents;  ///< by row of statistics: within the block's shared memory
  std::map<std::pair<int, std::uint32_t>, Fault> faults;  ///< by kind and instruction
  std::uint64_t barriers = 0;
  std::uint64_t longest_warp = 0;  ///< without what it did while it waited
  std::uint64_t most_waits = 0, waits = 0;
  std::vector<WaitCount> waited;  ///< by row of Kernel::wait_loops
  std::uint64_t clock = 0;
  std::int64_t spent = 0;  ///< of the budget, not yet taken from it
  std::uint64_t sums = 0;  ///< LaunchReport::sums
  std::string printed;
  std::vector<std::uint64_t> hits;      ///< of compiled code, by instruction
  std::shared_ptr<NativeState> native;  ///< null: interpreted
  std::vector<HotSector> hot;           ///< hashed
  std::vector<StoreRace> store_races;   ///< of the warp that runs, to be reported when it stops
};

/// Notes a fault of one lane. Cheap on repetition.
void report(Warp& w, const Ins* i, FaultKind kind, std::uint32_t lane, Address address,
            std::string_view space, std::string_view detail);
/// The same with the text made only for the first occurrence.
template <class MakeDetail>
void report_lazily(Warp& w, const Ins* i, FaultKind kind, std::uint32_t lane, Address address,
                   std::string_view space, MakeDetail detail) {
  const auto it = w.worker->faults.find({static_cast<int>(kind), i->id});
  if (it != w.worker->faults.end()) {
    ++it->second.occurrences;
    return;
  }
  report(w, i, kind, lane, address, space, detail());
}

/// Reports the worker's store races.
void settle_store_races(Worker& worker);

Dim3 thread_of(const Warp& w, std::uint32_t lane);

/// Gives the warps the names under which the race check of global memory knows them until the next
/// barrier.
void set_race_keys(const LaunchState& s, BlockState& b);
/// A barrier of the whole block: what comes now is ordered after what was.
void next_interval(BlockState& b);

/// Finds the allocations that the launch only reads.
void find_quiet(LaunchState& s);
/// Something was written where only reads were expected: from now on nothing is taken for quiet.
void end_quiet(LaunchState& s);
/// Forgets what the worker remembers of quiet allocations.
void forget_quiet(Worker& worker);

/// A volatile read: in a loop, a way to wait for others.
void note_poll(Warp& w);
/// An atomic: likewise, in a loop that only asks.
void note_atomic(Warp& w);
/// So many instructions the warp may execute before others get a turn.
std::int64_t next_turn(Warp& w);
/// Whether it has asked again and again for so long that it counts as waiting.
bool is_spinning(const Warp& w);
/// Others get a turn when the warp's basic block ends.
void end_turn(Warp& w);
/// Takes sums of a matrix instruction from the budget, where the limit is exact.
void note_sums(Warp& w, std::uint32_t sums);
/// A warp has ended: likewise, what it took.
void note_end(Warp& w);

/// The block's earlier writes are visible to others: a fence or a releasing access.
void note_fence(Warp& w, bool beyond_block);

/// "line 12" of the source, or "PTX line 34".
std::string place_of(const Warp& w, const Ins* i);

/// Releases a barrier if everybody it waits for is there.
void try_release(BlockState& b, std::uint32_t number);

/// Runs a block, or continues it until no warp can go on. True when all threads have exited.
bool run_block(Worker& worker, BlockState& b);
void start_block(Worker& worker, BlockState& b, std::uint64_t rank);
/// Reports a block that cannot go on.
void report_deadlock(Worker& worker, BlockState& b);

/// Puts the data of copies with an mbarrier in place and makes their arrivals.
void finish_arrivals(BlockState& b);
/// Where copies that may go to any block of the cluster wait for that.
inline std::vector<AsyncArrival>& pending_arrivals(BlockState& b) {
  return b.cluster != nullptr ? b.cluster->arrivals : b.arrivals;
}

/// Lets lanes that wait for their cluster go on when everybody in it has arrived.
void try_release_cluster(Cluster& c);
/// Reports a cluster whose blocks wait for each other.
void report_cluster_deadlock(BlockState& b);

}  // namespace warpwright::simt
