// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/state/memory.h"
#include "simt/state/program.h"
#include "simt/state/report.h"

namespace warpwright::simt {

struct BlockState;
struct Worker;
struct NativeState;
struct SharedShadow;

/// Lanes of one warp that walk together. Inner nodes wait for their children at `block` (their
/// immediate post-dominator); leaves run.
struct Split {
  enum class State : std::uint8_t {
    free,
    ready,
    joining,
    at_barrier,
    at_sync,
    at_cluster,
    at_wave,     ///< for the other half of a wavefront of 64
    at_product,  ///< for the other warps that take part in a product
  };
  State state = State::free;
  std::uint8_t barrier = 0;
  std::uint32_t mask = 0;
  std::uint32_t reconverge = kNoBlock;    ///< block at which the lanes join their parent
  std::uint32_t resume_block = kNoBlock;  ///< joining: where to go on
  std::int32_t parent = -1;
  std::uint32_t children = 0;
  const Ins* ip = nullptr;       ///< next instruction when not running
  bool forced = false;           ///< at_sync, at_wave: go on without the missing lanes
  bool helped = false;           ///< at_sync: lanes that waited at a join were freed for it
  std::int32_t freed_from = -1;  ///< the node at which its lanes waited before
};

struct BlockCount {
  std::uint64_t warps = 0;
  std::uint64_t lanes = 0;
};

/// How a warp waited for others in loops that only ask; see wait_loops.h.
struct Waits {
  std::uint32_t loop = 0;          ///< 1 + the one it is in
  bool first = false;              ///< in its first turn
  std::uint32_t times = 0;         ///< loops that took more than a turn
  std::uint64_t since = 0;         ///< warp instructions executed when this turn began
  std::uint64_t instructions = 0;  ///< of turns after the first
};

/// A matrix product of four warps that nobody has waited for yet: what it read must stay as it is.
struct WgmmaReads {
  std::vector<std::uint32_t> at;  ///< pieces of 16 bytes of shared memory
  std::vector<std::byte> bytes;
  std::uint32_t from = 0;  ///< the instruction
  std::uint32_t group = 0;
  std::uint32_t number = 0;    ///< of the warp's products since it began
  std::uint64_t a = 0, b = 0;  ///< descriptors; 0: A is in registers
  std::uint64_t form = 0;      ///< as WgmmaForm packs it
};
/// Of one warp.
struct WgmmaQueue {
  std::vector<WgmmaReads> reads;
  std::uint32_t group = 0;   ///< the one that is open
  std::uint32_t issued = 0;  ///< products, where they are checked
};

/// 32 lanes in lockstep. The first fields are what every handler reads.
struct alignas(64) Warp {
  std::byte* base[2] = {};  ///< registers, constants
  std::uint32_t mask = 0;   ///< active lanes of the running split
  std::uint32_t live = 0;   ///< lanes that have not exited
  std::uint32_t reconverge = kNoBlock;
  std::int32_t current = 0;  ///< running split
  std::int64_t fuel = 0;     ///< warp instructions until the next look at the clock
  const Kernel* kernel = nullptr;
  BlockCount* counts = nullptr;
  Worker* worker = nullptr;
  BlockState* block = nullptr;
  std::byte* shared = nullptr;  ///< of the block
  std::uint64_t shared_bytes = 0;
  NativeState* native = nullptr;  ///< of the worker, for compiled code; native.h knows the order
  std::uint64_t* kept = nullptr;  ///< values of compiled code that waits, two numbers a register
  std::uint32_t resume = 0;       ///< where it waits; 0: nowhere
  std::uint32_t sync_epoch = 0;   ///< warp-level synchronisations so far
  std::uint64_t race_key = 0;  ///< who accesses global memory now, see race_rules.h; 0: nobody asks
  SharedShadow* shadow = nullptr;   ///< of the block
  std::uint32_t index = 0;          ///< in the block
  std::uint64_t* simple = nullptr;  ///< of the worker: simple accesses to shared memory
  const Extent* extents = nullptr;  ///< of the worker: what accesses to shared memory may touch
  bool full_checks = false;
  std::uint8_t known[16] = {};  ///< patterns of addresses found in this block, see repeats.h
  bool done = false;
  bool yielded = false;     ///< stopped only to let others run
  bool fresh = false;       ///< all lanes are at the first instruction
  std::uint32_t carry = 0;  ///< condition code register, one bit per lane
  std::uint64_t executed = 0;
  std::int64_t slice = 0;  ///< what `fuel` was at the start of this slice of time
  std::vector<Split> splits;
  std::byte* local = nullptr;
  std::vector<std::uint32_t> undefined;  ///< shadow words, see definedness.h
  std::uint32_t stray_from = 0;          ///< the last shuffle that gave stray values
  WgmmaQueue wgmma;
  Waits waits;

  template <class T>
  [[nodiscard]] T* slot(Ref ref) const {
    return reinterpret_cast<T*>(base[ref >> 31] + (ref & ~kConstantBit));
  }
  [[nodiscard]] std::uint32_t predicate(Ref ref) const { return *slot<std::uint32_t>(ref); }
  /// The lanes that an instruction acts on.
  [[nodiscard]] std::uint32_t lanes(const Ins* i) const {
    return mask & (predicate(i->guard) ^ i->guard_flip);
  }
};

/// Mostly all of them, and counting bits is slow on some processors.
inline std::uint32_t lanes_in(std::uint32_t mask) {
  return mask == kAllLanes ? kLanes : static_cast<std::uint32_t>(std::popcount(mask));
}

/// Goes to a block: joins other lanes there, or counts it and runs on.
const Ins* join(Warp& w);
const Ins* out_of_fuel(Warp& w, const Ins* next);

inline const Ins* enter(Warp& w, std::uint32_t block) {
  if (block == w.reconverge) return join(w);
  const BasicBlock& b = w.kernel->blocks[block];
  BlockCount& count = w.counts[block];
  count.warps += 1;
  count.lanes += lanes_in(w.mask);
  w.fuel -= b.size + 1;
  const Ins* next = w.kernel->code.data() + b.first;
  if (w.fuel < 0) [[unlikely]]
    return out_of_fuel(w, next);
  return next;
}

/// Removes lanes for good.
const Ins* exit_lanes(Warp& w, std::uint32_t lanes, const Ins* next);

/// Lets the lanes that have come to a node that joins go on as a leaf, whose index it returns. They
/// meet others again at the next join.
std::size_t free_joined(Warp& w, std::size_t node);

/// Leaves the running split in its state and goes on with another one of the warp, or leaves it.
const Ins* switch_split(Warp& w);

/// Starts the warp at its first instruction with the given lanes.
void start_warp(Warp& w, std::uint32_t lanes);

/// Runs until all lanes have exited, wait, or the warp's share of time is over. Whether anything
/// was executed.
bool run_warp(Warp& w);

}  // namespace warpwright::simt
