// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "simt/isa/numbers.h"
#include "simt/state/worker.h"

// How the 32 addresses of a memory instruction become host memory, and what that costs.

namespace warpwright::simt {

/// Where the lanes' data are. Lanes outside `ok` had a fault or were off.
struct Target {
  u32 ok = 0;
  std::byte* lane[kLanes];
};

enum class Access : std::uint8_t { load, store, atomic };

/// The addresses of all lanes with the offset added; `out` is used when they must be computed.
inline void lane_addresses(const Warp& w, Ref ref, bool narrow, s64 offset, u64* out) {
  if (narrow) {
    // A sum of 32 bits wraps around, as on a device; a window of the generic space lies above it.
    const u64 mask = offset == static_cast<s32>(offset) ? 0xffff'ffffull : ~u64{0};
    const u32* a = w.slot<const u32>(ref);
    for (u32 l = 0; l < kLanes; ++l) out[l] = (u64{a[l]} + static_cast<u64>(offset)) & mask;
  } else {
    const u64* a = w.slot<const u64>(ref);
    for (u32 l = 0; l < kLanes; ++l) out[l] = a[l] + static_cast<u64>(offset);
  }
}

/// Whether all lanes have one address, or addresses `bytes` apart in order.
enum class Pattern : std::uint8_t { scattered, uniform, contiguous };

template <u32 kBytes>
inline Pattern pattern_of(const u64* a) {
  const u64 first = a[0];
  u64 differ = 0;
  if (a[1] == first) {
    for (u32 l = 0; l < kLanes; ++l) differ |= a[l] ^ first;
    return differ == 0 ? Pattern::uniform : Pattern::scattered;
  }
  for (u32 l = 0; l < kLanes; ++l) differ |= (a[l] - u64{l} * kBytes) ^ first;
  return differ == 0 ? Pattern::contiguous : Pattern::scattered;
}

/// Whether no two of the lanes have one address; remembered with their offsets.
bool all_distinct(AccessMemo& memo, const u64* a, u32 m);

/// Whether all of these bytes of shared memory were written; notes that they were.
bool shared_written(const BlockState& b, u64 at, u64 bytes);
void set_shared_written(BlockState& b, u64 at, u64 bytes);

/// Full checks of an access to one piece of memory by a whole warp.
void check_shared_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind);
/// The same for loads of whole words that together cover a piece of shared memory, each by all
/// lanes at one address or at neighbours: notes them if all are fine. Reports nothing.
bool shared_loads_clean(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, bool uniform);
void check_global_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind,
                      const AccessMemo& memo);

/// Notes sectors as touched. What is noted already is not written again, so that threads at the
/// same data do not take each other's lines away.
inline void touch_run(std::uint8_t* touched, u64 first, u64 last) {
  if (last - first == 3 && first % 4 == 0) {
    std::atomic_ref<u32> all(*reinterpret_cast<u32*>(touched + first));
    if (all.load(std::memory_order_relaxed) != 0x01010101u)
      all.store(0x01010101u, std::memory_order_relaxed);
    return;
  }
  for (u64 s = first; s <= last; ++s) {
    std::atomic_ref<std::uint8_t> one(touched[s]);
    if (one.load(std::memory_order_relaxed) == 0) one.store(1, std::memory_order_relaxed);
  }
}

inline ByteUse use_of(const Ins* i, Access kind) {
  if (kind == Access::atomic || (i->aux & kStrongAccess) != 0) return ByteUse::atomic;
  return kind == Access::load ? ByteUse::read : ByteUse::write;
}

/// Tells the launch's logs of an access to global memory.
void log_access(const Warp& w, const Ins* i, Access kind, u64 at, u64 bytes);

/// The memory of a simple access by all lanes, counted and checked; null when it is not that
/// simple after all, with nothing done.
inline std::byte* fast_shared(Warp& w, const Ins* i, u64 at, Pattern p, u32 bytes, Access kind) {
  const u64 span = p == Pattern::uniform ? bytes : u64{bytes} * kLanes;
  const Extent e = w.extents[i->target];
  if ((at & (bytes - 1)) != 0 || at < e.low || at >= e.high || span > e.high - at) return nullptr;
  w.simple[2 * std::size_t{i->target} + (p == Pattern::uniform ? 0 : 1)] += 1;
  if (w.full_checks) check_shared_run(w, i, at, span, bytes, kind);
  return w.shared + at;
}

inline std::byte* fast_global(Warp& w, const Ins* i, u64 at, Pattern p, u32 bytes, Access kind) {
  const AccessMemo& memo = w.worker->memos[i->target];
  const u64 span = p == Pattern::uniform ? bytes : u64{bytes} * kLanes;
  if ((at & (bytes - 1)) != 0 || at < memo.low || at >= memo.high || span > memo.high - at ||
      (kind != Access::load && memo.read_only))
    return nullptr;
  LaunchState& launch = *w.worker->launch;
  // An exchange waits for its line as a plain store does not.
  if (w.full_checks && kind != Access::load && launch.race_lines != nullptr)
    __builtin_prefetch(launch.race_lines + 2 * ((at - kGlobalBase) >> 7), 1);
  if (launch.counts) {
    AccessStats& s = w.worker->stats[i->target];
    const u64 first = (at - kGlobalBase) >> 5;
    const u64 last = (at - kGlobalBase + span - 1) >> 5;
    s.requests += 1;
    s.lanes += kLanes;
    s.bytes += u64{bytes} * kLanes;
    s.sectors += last - first + 1;
    touch_run(kind == Access::load ? launch.touched_read : launch.touched_written, first, last);
    if (launch.log != nullptr) [[unlikely]]
      log_access(w, i, kind, at, span);
  }
  if (w.full_checks && !memo.carefree()) check_global_run(w, i, at, span, bytes, kind, memo);
  return launch.memory->host(at);
}

void report_misaligned(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes,
                       std::string_view space);

/// Resolves an access of `bytes` per lane by lanes `m`. Faults are reported, costs counted.
void resolve_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_local(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_generic(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);

/// Addresses of which some lie in other blocks of the cluster.
void resolve_cluster(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);

/// Races and uninitialised reads; called only with full checks.
void check_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind);
void check_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                  const AccessMemo& memo);

/// Where a store writes.
struct Stored {
  u64 address = 0;
  std::string_view space;
  const std::byte* host = nullptr;
  u32 bytes = 0;
};
/// Reports a race of a store with another write: a benign one if the value was there already.
void report_store_race(Warp& w, const Ins* i, FaultKind kind, u32 lane, const Stored& to,
                       const std::function<std::string()>& detail);

/// Reads of local memory that the thread never wrote.
void check_local(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind);

/// "byte 12 of 'tile'", for an address in shared memory.
std::string describe_shared(const Warp& w, u64 address);

/// Distinct 32-byte sectors; passes over the banks of shared memory.
u32 count_sectors(const u64* a, u32 m);
u32 count_wavefronts(const u64* a, u32 m, u32 bytes, u32& ideal);

}  // namespace warpwright::simt
