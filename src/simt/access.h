// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/alu.h"
#include "simt/worker.h"

// How the 32 addresses of a memory instruction become host memory, and what that costs.

namespace warpwright::simt {

/// Where the lanes' data are. Lanes outside `ok` had a fault or were off.
struct Target {
  enum class Kind : std::uint8_t { contiguous, uniform, scattered };
  Kind kind = Kind::scattered;
  u32 ok = 0;
  std::byte* base = nullptr;  ///< contiguous, uniform
  std::byte* lane[kLanes];    ///< scattered
};

enum class Access : std::uint8_t { load, store, atomic };

/// The addresses of all lanes with the offset added; `out` is used when they must be computed.
inline void lane_addresses(const Warp& w, Ref ref, bool narrow, s64 offset, u64* out) {
  if (narrow) {
    const u32* a = w.slot<const u32>(ref);
    for (u32 l = 0; l < kLanes; ++l) out[l] = u64{a[l]} + static_cast<u64>(offset);
  } else {
    const u64* a = w.slot<const u64>(ref);
    for (u32 l = 0; l < kLanes; ++l) out[l] = a[l] + static_cast<u64>(offset);
  }
}

/// Whether all lanes have one address, or addresses `bytes` apart in order.
struct Pattern {
  bool uniform = false, contiguous = false;
};
inline Pattern pattern_of(const u64* a, u32 bytes) {
  u64 apart = 0, differ = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u64 d = a[l] - a[0];
    differ |= d;
    apart |= d ^ (u64{l} * bytes);
  }
  return {differ == 0, apart == 0};
}

/// Resolves an access of `bytes` per lane by lanes `m`. Faults are reported, costs counted.
void resolve_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_local(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);
void resolve_generic(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t);

/// Races and uninitialised reads; called only with full checks.
void check_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind);
void check_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                  const AccessMemo& memo);

/// Distinct 32-byte sectors; passes over the banks of shared memory.
u32 count_sectors(const u64* a, u32 m);
u32 count_wavefronts(const u64* a, u32 m, u32 bytes, u32& ideal);

}  // namespace warpwright::simt
