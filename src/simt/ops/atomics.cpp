// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-write instructions. Lanes of a warp go one after the other, as a rule lowest
// first; global memory is changed atomically because other workers may be at it too.
#include <atomic>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/float_math.h"
#include "simt/ops/half.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

template <class T>
T add(T old, T b, T) {
  return static_cast<T>(old + b);
}
/// Global memory flushes subnormal numbers, shared memory keeps them.
f32 add_f32(f32 old, f32 b, f32) { return canonical(flush(flush(old) + flush(b))); }
f32 add_f32_shared(f32 old, f32 b, f32) { return canonical(old + b); }
f64 add_f64(f64 old, f64 b, f64) { return old + b; }
template <class H>
H add_half(H old, H b, H) {
  const f32 sum = to_float(old) + to_float(b);
  if constexpr (std::is_same_v<H, Half>)
    return half_from_float(sum);
  else
    return bfloat_from_float(sum);
}
template <class H>
u32 add_pair(u32 old, u32 b, u32) {
  const H low = add_half<H>(H{static_cast<u16>(old)}, H{static_cast<u16>(b)}, {});
  const H high = add_half<H>(H{static_cast<u16>(old >> 16)}, H{static_cast<u16>(b >> 16)}, {});
  return low.bits | u32{high.bits} << 16;
}
template <class T>
T min_(T old, T b, T) {
  return b < old ? b : old;
}
template <class T>
T max_(T old, T b, T) {
  return b > old ? b : old;
}
template <class T>
T and_(T old, T b, T) {
  return old & b;
}
template <class T>
T or_(T old, T b, T) {
  return old | b;
}
template <class T>
T xor_(T old, T b, T) {
  return old ^ b;
}
template <class T>
T exch(T, T b, T) {
  return b;
}
template <class T>
T cas(T old, T b, T c) {
  return old == b ? c : old;
}
template <auto F>
constexpr bool kIsCas = false;
template <>
constexpr bool kIsCas<cas<u16>> = true;
template <>
constexpr bool kIsCas<cas<u32>> = true;
template <>
constexpr bool kIsCas<cas<u64>> = true;
u32 inc(u32 old, u32 b, u32) { return old >= b ? 0 : old + 1; }
u32 dec(u32 old, u32 b, u32) { return old == 0 || old > b ? b : old - 1; }

template <class T>
struct Word {
  using type =
      std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
};

template <class T, T (*F)(T, T, T)>
T update(std::byte* p, T b, T c) {
  using W = typename Word<T>::type;
  std::atomic_ref<W> word(*reinterpret_cast<W*>(p));
  W old = word.load(std::memory_order_relaxed);
  while (true) {
    const T next = F(std::bit_cast<T>(old), b, c);
    if (word.compare_exchange_weak(old, std::bit_cast<W>(next), std::memory_order_acq_rel))
      return std::bit_cast<T>(old);
  }
}

template <class T, T (*F)(T, T, T)>
T update_plain(std::byte* p, T b, T c) {
  T old;
  std::memcpy(&old, p, sizeof old);
  const T next = F(old, b, c);
  std::memcpy(p, &next, sizeof next);
  return old;
}

/// Lanes beyond the first at the same address wait for each other.
u32 serialised(const u64* a, u32 m) {
  u32 waits = 0;
  for (u32 left = m; left != 0; left &= left - 1) {
    const u32 l = static_cast<u32>(std::countr_zero(left));
    for (u32 k = 0; k < l; ++k) {
      if ((m >> k & 1) != 0 && a[k] == a[l]) {
        ++waits;
        break;
      }
    }
  }
  return waits;
}

/// The lanes whose updates of 32 bytes of global memory come one after the other. What one request
/// has for different words there is done at once.
u32 passes(const u64* a, u32 m) {
  u32 counted = 0;
  u8 most[kLanes] = {};  // by the first lane in the same 32 bytes: updates of a word so far
  for (u32 left = m; left != 0; left &= left - 1) {
    const u32 l = static_cast<u32>(std::countr_zero(left));
    u32 first = l, same = 1;
    for (u32 before = m & ((u32{1} << l) - 1); before != 0; before &= before - 1) {
      const u32 k = static_cast<u32>(std::countr_zero(before));
      if ((a[k] ^ a[l]) >> 5 != 0) continue;
      first = std::min(first, k);
      same += a[k] == a[l] ? 1 : 0;
    }
    if (same <= most[first]) continue;
    most[first] = static_cast<u8>(same);
    counted |= u32{1} << l;
  }
  return counted;
}

constexpr std::size_t kHotSlots = 4096;

/// A crowded table forgets nothing it has; it only stops learning. A block's first update is no
/// switch: which block came before it depends on the host's threads.
void count_hot(std::vector<HotSector>& hot, u64 address, u64 block) {
  const u64 sector = address & ~u64{31};
  std::size_t at = sector * 0x9e3779b97f4a7c15u >> 52;
  for (int probe = 0; probe < 8; ++probe, at = (at + 1) % kHotSlots) {
    HotSector& h = hot[at];
    if (h.address != 0 && h.address != sector) continue;
    h.switches += h.address != 0 && h.block == block && h.last != address ? 1 : 0;
    h.address = sector;
    h.last = address;
    h.block = block;
    ++h.updates;
    return;
  }
}

void count_contention(Warp& w, const Ins* i, const u64* a, const Target& t, Space space) {
  AccessStats& s = w.worker->stats[i->target];
  const u32 waits = serialised(a, t.ok);
  s.serialised += waits;
  if (space == Space::shared || a[std::countr_zero(t.ok)] - kSharedWindow < kWindowBytes) {
    s.serialised_shared += waits;
    return;
  }
  auto& hot = w.worker->hot;
  if (hot.empty()) hot.resize(kHotSlots);
  for (u32 left = passes(a, t.ok); left != 0; left &= left - 1)
    count_hot(hot, a[std::countr_zero(left)], w.block->rank);
}

template <class T, T (*F)(T, T, T), Space kSpace>
const Ins* run_atomic(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  alignas(64) u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & kNarrowAddress) != 0, i->imm, a);
  ask_words(w, i, a, m, sizeof(T), kSpace);
  Target t;
  if constexpr (kSpace == Space::shared)
    resolve_shared(w, i, a, m, sizeof(T), Access::atomic, t);
  else if constexpr (kSpace == Space::global)
    resolve_global(w, i, a, m, sizeof(T), Access::atomic, t);
  else
    resolve_generic(w, i, a, m, sizeof(T), Access::atomic, t);
  const T* b = w.slot<T>(i->b);
  [[maybe_unused]] const T* c = w.slot<T>(i->c);
  T* d = w.slot<T>(i->d);
  LaunchState& launch = *w.worker->launch;
  note_atomic(w);
  if ((i->aux & kReleases) != 0)
    note_fence(w, kSpace != Space::shared && (i->aux & kBlockScope) == 0);
  tell_words(w, i, a, t.ok, sizeof(T), kSpace, true);
  const u32 first = w.worker->turns.lanes();
  for (u32 k = 0; k < kLanes; ++k) {
    const u32 l = k ^ first;
    if ((m >> l & 1) == 0) continue;
    if ((t.ok >> l & 1) == 0) {
      d[l] = T{};
      continue;
    }
    std::byte* p = t.lane[l];
    T cc{};
    if constexpr (kIsCas<F>) cc = c[l];
    d[l] = launch.many_threads && kSpace != Space::shared ? update<T, F>(p, b[l], cc)
                                                          : update_plain<T, F>(p, b[l], cc);
  }
  if (launch.counts && t.ok != 0) count_contention(w, i, a, t, kSpace);
  if (w.worker->turns.ends_here()) end_turn(w);
  return i + 1;
}

struct AtomicRow {
  std::string_view op, type;
  Handler global, shared, generic;
};

template <class T, T (*F)(T, T, T)>
constexpr AtomicRow row(std::string_view op, std::string_view type) {
  return {op, type, run_atomic<T, F, Space::global>, run_atomic<T, F, Space::shared>,
          run_atomic<T, F, Space::generic>};
}

constexpr AtomicRow kAtomics[] = {
    row<u32, add<u32>>("add", "u32"),
    row<u32, add<u32>>("add", "s32"),
    row<u64, add<u64>>("add", "u64"),
    row<u64, add<u64>>("add", "s64"),
    {"add", "f32", run_atomic<f32, add_f32, Space::global>,
     run_atomic<f32, add_f32_shared, Space::shared>, run_atomic<f32, add_f32, Space::generic>},
    row<f64, add_f64>("add", "f64"),
    row<Half, add_half<Half>>("add", "f16"),
    row<BFloat, add_half<BFloat>>("add", "bf16"),
    row<u32, add_pair<Half>>("add", "f16x2"),
    row<u32, add_pair<BFloat>>("add", "bf16x2"),
    row<u32, min_<u32>>("min", "u32"),
    row<s32, min_<s32>>("min", "s32"),
    row<u64, min_<u64>>("min", "u64"),
    row<s64, min_<s64>>("min", "s64"),
    row<u32, max_<u32>>("max", "u32"),
    row<s32, max_<s32>>("max", "s32"),
    row<u64, max_<u64>>("max", "u64"),
    row<s64, max_<s64>>("max", "s64"),
    row<u32, and_<u32>>("and", "b32"),
    row<u64, and_<u64>>("and", "b64"),
    row<u32, or_<u32>>("or", "b32"),
    row<u64, or_<u64>>("or", "b64"),
    row<u32, xor_<u32>>("xor", "b32"),
    row<u64, xor_<u64>>("xor", "b64"),
    row<u32, exch<u32>>("exch", "b32"),
    row<u64, exch<u64>>("exch", "b64"),
    row<u16, cas<u16>>("cas", "b16"),
    row<u32, cas<u32>>("cas", "b32"),
    row<u64, cas<u64>>("cas", "b64"),
    row<u32, inc>("inc", "u32"),
    row<u32, dec>("dec", "u32"),
};

}  // namespace

Handler atomic_handler(std::string_view op, std::string_view type, Space space) {
  for (const AtomicRow& r : kAtomics) {
    if (r.op != op || r.type != type) continue;
    if (space == Space::global) return r.global;
    if (space == Space::shared) return r.shared;
    if (space == Space::generic) return r.generic;
    return nullptr;
  }
  return nullptr;
}

}  // namespace warpwright::simt
