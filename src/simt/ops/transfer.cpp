// SPDX-License-Identifier: Apache-2.0
// Loads and stores: typed movement between registers and resolved memory.
#include <algorithm>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
// NOLINTBEGIN(bugprone-signed-char-misuse): loads of s8 extend the sign.
namespace {

template <Space kSpace>
inline void resolve(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t) {
  if constexpr (kSpace == Space::shared) return resolve_shared(w, i, a, m, bytes, kind, t);
  if constexpr (kSpace == Space::local) return resolve_local(w, i, a, m, bytes, kind, t);
  if constexpr (kSpace == Space::generic) return resolve_generic(w, i, a, m, bytes, kind, t);
  resolve_global(w, i, a, m, bytes, kind, t);
}

/// The addresses without the offset: the register itself, or widened into `wide`.
inline const u64* raw_addresses(const Warp& w, const Ins* i, u64* wide) {
  if ((i->aux & kNarrowAddress) == 0) return w.slot<const u64>(i->a);
  const u32* a = w.slot<const u32>(i->a);
  for (u32 l = 0; l < kLanes; ++l) wide[l] = a[l];
  return wide;
}

/// Looks at all addresses; `first` is the lowest lane's, without the offset.
template <u32 kBytes>
[[gnu::noinline]] Pattern look_at_addresses(Warp& w, const Ins* i, u64& first) {
  alignas(64) u64 wide[kLanes];
  const u64* raw = raw_addresses(w, i, wide);
  first = raw[0];
  const Pattern p = pattern_of<kBytes>(raw);
  if (i->aux2 != 0) w.known[i->aux2 & (kPatternRows - 1)] = static_cast<std::uint8_t>(p);
  return p;
}

/// How the addresses of a whole warp lie.
template <u32 kBytes>
[[gnu::always_inline]] inline Pattern find_pattern(Warp& w, const Ins* i, u64& first) {
  if ((i->aux2 & kKnowsPattern) == 0) return look_at_addresses<kBytes>(w, i, first);
  first = (i->aux & kNarrowAddress) == 0 ? *w.slot<const u64>(i->a) : *w.slot<const u32>(i->a);
  return static_cast<Pattern>(w.known[i->aux2 & (kPatternRows - 1)]);
}

/// On to the next instruction, as arithmetic does it.
inline const Ins* go_on(Warp& w, const Ins* i) {
#ifdef NDEBUG
  return i[1].run(w, i + 1);
#else
  static_cast<void>(w);
  return i + 1;
#endif
}

/// A part of the warp leaves nothing behind that others could rely on: they look for themselves.
inline void forget_pattern(Warp& w, const Ins* i) {
  if ((i->aux2 & kFindsPattern) != 0)
    w.known[i->aux2 & (kPatternRows - 1)] = static_cast<std::uint8_t>(Pattern::scattered);
}

/// Simple accesses of a whole warp; null for all others.
template <Space kSpace, u32 kBytes>
inline std::byte* fast(Warp& w, const Ins* i, u64 first, Pattern p, Access kind) {
  if constexpr (kSpace == Space::local) return nullptr;
  if (p == Pattern::scattered) return nullptr;
  const u64 at = first + static_cast<u64>(i->imm);
  if constexpr (kSpace == Space::shared) return fast_shared(w, i, at, p, kBytes, kind);
  if constexpr (kSpace == Space::generic)
    if (at - kSharedWindow < kWindowBytes)
      return fast_shared(w, i, at - kSharedWindow, p, kBytes, kind);
  return fast_global(w, i, at, p, kBytes, kind);
}

template <class M>
M read(const std::byte* p) {
  M value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class M, class R, u32 V, Space kSpace>
[[gnu::noinline]] const Ins* load_slowly(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  Target t;
  resolve<kSpace>(w, i, a, m, sizeof(M) * V, Access::load, t);
  R* d[V];
  for (u32 v = 0; v < V; ++v) d[v] = w.slot<R>(V == 1 ? i->d : i->more[v]);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const bool ok = (t.ok >> l & 1) != 0;
    for (u32 v = 0; v < V; ++v)
      d[v][l] = ok ? static_cast<R>(read<M>(t.lane[l] + v * sizeof(M))) : R{0};
  }
  return i + 1;
}

/// Both halves of a warp at one address or at neighbours each, as in blocks 16 threads wide.
struct Halves {
  bool found = false;
  u64 at[2] = {};
  bool uniform[2] = {};
};

template <u32 kBytes>
Halves find_halves(const u64* a) {
  Halves h;
  for (u32 k = 0; k < 2; ++k) {
    const u64* half = a + k * kLanes / 2;
    const u64 step = half[1] - half[0];
    if (step != 0 && step != kBytes) return h;
    u64 differ = 0;
    for (u32 l = 0; l < kLanes / 2; ++l) differ |= (half[l] - step * l) ^ half[0];
    if (differ != 0) return h;
    h.at[k] = half[0];
    h.uniform[k] = step == 0;
  }
  h.found = true;
  return h;
}

/// Bounds, counts and checks of such an access to global memory; false, with nothing done, when it
/// is not that simple after all.
bool pass_halves(Warp& w, const Ins* i, const Halves& h, const u64* a, u32 bytes, Access kind) {
  const AccessMemo& memo = w.worker->memos[i->target];
  LaunchState& launch = *w.worker->launch;
  u64 first[2], last[2];
  for (u32 k = 0; k < 2; ++k) {
    const u64 span = h.uniform[k] ? bytes : u64{bytes} * kLanes / 2;
    if ((h.at[k] & (bytes - 1)) != 0 || h.at[k] < memo.low || h.at[k] >= memo.high ||
        span > memo.high - h.at[k] || (kind != Access::load && memo.read_only))
      return false;
    first[k] = (h.at[k] - kGlobalBase) >> 5;
    last[k] = (h.at[k] - kGlobalBase + span - 1) >> 5;
  }
  if (launch.counts) {
    AccessStats& s = w.worker->stats[i->target];
    const u64 both_first = std::max(first[0], first[1]), both_last = std::min(last[0], last[1]);
    s.requests += 1;
    s.lanes += kLanes;
    s.bytes += u64{bytes} * kLanes;
    s.sectors += last[0] - first[0] + 1 + (last[1] - first[1] + 1) -
                 (both_last >= both_first ? both_last - both_first + 1 : 0);
    std::uint8_t* touched = kind == Access::load ? launch.touched_read : launch.touched_written;
    for (u32 k = 0; k < 2; ++k) touch_run(touched, first[k], last[k]);
    for (u32 k = 0; k < 2 && launch.log != nullptr; ++k)
      log_access(w, i, kind, h.at[k], h.uniform[k] ? bytes : u64{bytes} * kLanes / 2);
  }
  if (w.full_checks && !memo.carefree()) check_global(w, i, a, kAllLanes, bytes, kind, memo);
  return true;
}

template <class M, class R>
[[gnu::noinline]] bool load_halves(Warp& w, const Ins* i) {
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  const Halves h = find_halves<sizeof(M)>(a);
  if (!h.found || !pass_halves(w, i, h, a, sizeof(M), Access::load)) return false;
  R* d = w.slot<R>(i->d);
  for (u32 k = 0; k < 2; ++k, d += kLanes / 2) {
    const std::byte* from = w.worker->launch->memory->host(h.at[k]);
    const u64 step = h.uniform[k] ? 0 : sizeof(M);
    for (u32 l = 0; l < kLanes / 2; ++l) d[l] = static_cast<R>(read<M>(from + step * l));
  }
  return true;
}

template <class M, class R>
[[gnu::noinline]] bool store_halves(Warp& w, const Ins* i) {
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  const Halves h = find_halves<sizeof(M)>(a);
  const u64 apart = h.at[0] < h.at[1] ? h.at[1] - h.at[0] : h.at[0] - h.at[1];
  // Lanes that write to one address are looked at one by one.
  if (!h.found || h.uniform[0] || h.uniform[1] || apart < sizeof(M) * kLanes / 2 ||
      !pass_halves(w, i, h, a, sizeof(M), Access::store))
    return false;
  const R* s = w.slot<const R>(i->b);
  for (u32 k = 0; k < 2; ++k, s += kLanes / 2) {
    std::byte* to = w.worker->launch->memory->host(h.at[k]);
    for (u32 l = 0; l < kLanes / 2; ++l) {
      const M value = static_cast<M>(s[l]);
      std::memcpy(to + l * sizeof(M), &value, sizeof value);
    }
  }
  return true;
}

/// A volatile or relaxed read, which may ask for what others did.
[[gnu::noinline]] void strong_load(Warp& w, const Ins* i, u32 bytes, Space space) {
  note_poll(w);
  if (w.worker->launch->ordering == nullptr) return;
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  ask_words(w, i, a, w.lanes(i), bytes, space);
}

/// The same for writes, which may tell others.
[[gnu::noinline]] void strong_store(Warp& w, const Ins* i, u32 bytes, Space space) {
  if (w.worker->turns.ends_here()) end_turn(w);
  if (w.worker->launch->ordering == nullptr) return;
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  tell_words(w, i, a, w.lanes(i), bytes, space, false);
}

template <class M, class R, u32 V, Space kSpace>
const Ins* load(Warp& w, const Ins* i) {
  if ((i->aux & kStrongAccess) != 0) [[unlikely]]
    strong_load(w, i, sizeof(M) * V, kSpace);
  if (w.lanes(i) != kAllLanes) {
    forget_pattern(w, i);
    return load_slowly<M, R, V, kSpace>(w, i);
  }
  u64 first = 0;
  const Pattern p = find_pattern<sizeof(M) * V>(w, i, first);
  const std::byte* base = fast<kSpace, sizeof(M) * V>(w, i, first, p, Access::load);
  if (base == nullptr) {
    if constexpr (V == 1 && (kSpace == Space::global || kSpace == Space::generic))
      if (p == Pattern::scattered && load_halves<M, R>(w, i)) return i + 1;
    return load_slowly<M, R, V, kSpace>(w, i);
  }
  for (u32 v = 0; v < V; ++v) {
    R* d = w.slot<R>(V == 1 ? i->d : i->more[v]);
    if (p == Pattern::uniform) {
      const R value = static_cast<R>(read<M>(base + v * sizeof(M)));
      for (u32 l = 0; l < kLanes; ++l) d[l] = value;
    } else {
#pragma GCC ivdep
      for (u32 l = 0; l < kLanes; ++l)
        d[l] = static_cast<R>(read<M>(base + (l * V + v) * sizeof(M)));
    }
  }
  return go_on(w, i);
}

void report_conflict(Warp& w, const Ins* i, u32 one, u32 other, u64 address, Space space) {
  const bool windowed = space == Space::generic && address - kSharedWindow < kWindowBytes;
  const bool shared = space == Space::shared || windowed;
  if (windowed) address -= kSharedWindow;
  report_lazily(w, i, FaultKind::conflicting_stores, other, address, shared ? "shared" : "global",
                [&] {
                  return "lanes " + std::to_string(one) + " and " + std::to_string(other) +
                         " write different values to one address, " +
                         (shared ? describe_shared(w, address)
                                 : w.worker->launch->memory->describe(address, 1));
                });
}

/// Lanes of one store that write different values to one address: which one stays is undefined.
template <class M, class R, u32 V, Space kSpace>
void check_conflicts(Warp& w, const Ins* i, const u64* a, const Target& t, R* const* s) {
  u32 last = 0;
  bool ascending = true;
  u64 previous = 0;
  for (u32 l = 0; l < kLanes && ascending; ++l) {
    if ((t.ok >> l & 1) == 0) continue;
    ascending = last == 0 || a[l] > previous;
    previous = a[l];
    last = 1;
  }
  if (ascending) return;
  if (all_distinct(w.worker->memos[i->target], a, t.ok)) return;
  for (u32 l = 0; l < kLanes; ++l) {
    // Each lane has a local memory of its own.
    if ((t.ok >> l & 1) == 0 || (kSpace == Space::generic && a[l] - kLocalWindow < kWindowBytes))
      continue;
    for (u32 k = l + 1; k < kLanes; ++k) {
      if ((t.ok >> k & 1) == 0 || a[k] != a[l]) continue;
      bool same = true;
      for (u32 v = 0; v < V; ++v) same = same && static_cast<M>(s[v][k]) == static_cast<M>(s[v][l]);
      if (same) continue;
      report_conflict(w, i, l, k, a[k], kSpace);
      return;
    }
  }
}

template <class M, class R, u32 V, Space kSpace>
[[gnu::noinline]] const Ins* store_slowly(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  Target t;
  resolve<kSpace>(w, i, a, m, sizeof(M) * V, Access::store, t);
  R* s[V];
  for (u32 v = 0; v < V; ++v) s[v] = w.slot<R>(V == 1 ? i->b : i->more[v]);
  if (w.worker->launch->full_checks && kSpace != Space::local)
    check_conflicts<M, R, V, kSpace>(w, i, a, t, s);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((t.ok >> l & 1) == 0) continue;
    for (u32 v = 0; v < V; ++v) {
      const M value = static_cast<M>(s[v][l]);
      std::memcpy(t.lane[l] + v * sizeof(M), &value, sizeof value);
    }
  }
  return i + 1;
}

template <class M, class R, u32 V, Space kSpace>
const Ins* store(Warp& w, const Ins* i) {
  if ((i->aux & kStrongAccess) != 0) [[unlikely]]
    strong_store(w, i, sizeof(M) * V, kSpace);
  if (w.lanes(i) != kAllLanes) {
    forget_pattern(w, i);
    return store_slowly<M, R, V, kSpace>(w, i);
  }
  u64 first = 0;
  const Pattern p = find_pattern<sizeof(M) * V>(w, i, first);
  if (p != Pattern::contiguous) {
    if constexpr (V == 1 && (kSpace == Space::global || kSpace == Space::generic))
      if (p == Pattern::scattered && store_halves<M, R>(w, i)) return i + 1;
    return store_slowly<M, R, V, kSpace>(w, i);
  }
  std::byte* base = fast<kSpace, sizeof(M) * V>(w, i, first, p, Access::store);
  if (base == nullptr) return store_slowly<M, R, V, kSpace>(w, i);
  for (u32 v = 0; v < V; ++v) {
    const R* s = w.slot<const R>(V == 1 ? i->b : i->more[v]);
#pragma GCC ivdep
    for (u32 l = 0; l < kLanes; ++l) {
      const M value = static_cast<M>(s[l]);
      std::memcpy(base + (l * V + v) * sizeof(M), &value, sizeof value);
    }
  }
  return go_on(w, i);
}

template <class M, class R, bool kLoad, u32 V>
Handler by_space(Space s) {
  if constexpr (kLoad) {
    switch (s) {
      case Space::shared:
        return load<M, R, V, Space::shared>;
      case Space::local:
        return load<M, R, V, Space::local>;
      case Space::generic:
        return load<M, R, V, Space::generic>;
      default:
        return load<M, R, V, Space::global>;
    }
  } else {
    switch (s) {
      case Space::shared:
        return store<M, R, V, Space::shared>;
      case Space::local:
        return store<M, R, V, Space::local>;
      case Space::generic:
        return store<M, R, V, Space::generic>;
      default:
        return store<M, R, V, Space::global>;
    }
  }
}

template <class M, class R, bool kLoad>
Handler by_elements(const AccessForm& f) {
  if (f.elements == 1) return by_space<M, R, kLoad, 1>(f.space);
  if (f.elements == 2) return by_space<M, R, kLoad, 2>(f.space);
  if (sizeof(M) <= 4) return by_space<M, R, kLoad, 4>(f.space);
  return nullptr;
}

/// Loads into registers at least as wide as the element.
template <class M>
Handler by_register(const AccessForm& f) {
  if constexpr (sizeof(M) <= 2)
    if (f.register_bytes == 2) return by_elements<M, u16, true>(f);
  if constexpr (sizeof(M) <= 4)
    if (f.register_bytes == 4) return by_elements<M, u32, true>(f);
  if (f.register_bytes == 8) return by_elements<M, u64, true>(f);
  return nullptr;
}

}  // namespace

Handler load_handler(const AccessForm& f) {
  switch (f.bytes) {
    case 1:
      return f.is_signed ? by_register<s8>(f) : by_register<u8>(f);
    case 2:
      return f.is_signed ? by_register<s16>(f) : by_register<u16>(f);
    case 4:
      return f.is_signed ? by_register<s32>(f) : by_register<u32>(f);
    default:
      return by_register<u64>(f);
  }
}

Handler store_handler(const AccessForm& f) {
  switch (f.bytes) {
    case 1:
      return by_elements<u8, u16, false>(f);
    case 2:
      return by_elements<u16, u16, false>(f);
    case 4:
      return by_elements<u32, u32, false>(f);
    default:
      return by_elements<u64, u64, false>(f);
  }
}

// NOLINTEND(bugprone-signed-char-misuse)
}  // namespace warpwright::simt
