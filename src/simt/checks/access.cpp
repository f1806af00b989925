// SPDX-License-Identifier: Apache-2.0
#include "simt/checks/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpwright::simt {

void report_misaligned(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes,
                       std::string_view space) {
  report_lazily(w, i, FaultKind::misaligned, lane, address, space, [&] {
    std::string place;
    if (space == "global") place = ", " + w.worker->launch->memory->describe(address, bytes);
    if (space == "shared") place = ", " + describe_shared(w, address);
    return fmt::format("an access of {} bytes needs a multiple of {}{}", bytes, bytes, place);
  });
}

void log_access(const Warp& w, const Ins* i, Access kind, u64 at, u64 bytes) {
  const LaunchState& launch = *w.worker->launch;
  const BlockState& b = *w.block;
  launch.log->note(use_of(i, kind), at, bytes);
  const bool waited = b.all_awaited || (b.awaited >> w.index & 1) != 0;
  if (launch.early_log != nullptr && !waited) launch.early_log->note(use_of(i, kind), at, bytes);
}

namespace {

/// The cost of a scattered access, remembered per instruction.
struct Cost {
  u32 cost = 0, ideal = 0;
};

bool same_offsets(const AccessMemo& memo, const u64* a, u32 m, u32* offsets) {
  const u64 base = a[std::countr_zero(m)];
  u32 differ = memo.mask ^ m;
  for (u32 l = 0; l < kLanes; ++l) {
    offsets[l] = static_cast<u32>(a[l] - base);
    differ |= (offsets[l] ^ memo.offsets[l]) & ((m >> l & 1) != 0 ? ~0u : 0u);
  }
  return differ == 0;
}

/// Takes other offsets between the lanes into the memory.
void remember_offsets(AccessMemo& memo, const u64* a, u32 m, const u32* offsets, bool shared) {
  const u64 base = a[std::countr_zero(m)];
  // Offsets that do not fit 32 bits must not be mistaken for others.
  bool fits = true;
  for (u32 l = 0; l < kLanes; ++l)
    if ((m >> l & 1) != 0 && a[l] - base + 0x40000000u >= 0x80000000u) fits = false;
  memo.mask = fits ? m : 0;
  memo.shared = shared;
  memo.distinct = false;
  std::memset(memo.cost, 0, sizeof memo.cost);
  std::memcpy(memo.offsets, offsets, sizeof memo.offsets);
}

Cost remembered_cost(AccessMemo& memo, const u64* a, u32 m, u32 bytes, bool shared) {
  const u64 base = a[std::countr_zero(m)];
  alignas(64) u32 offsets[kLanes];
  if (!same_offsets(memo, a, m, offsets) || memo.shared != shared)
    remember_offsets(memo, a, m, offsets, shared);
  std::uint8_t& known = memo.cost[base % kSectorBytes];
  if (known != 0) return {known, memo.ideal};
  Cost c;
  if (shared)
    c.cost = count_wavefronts(a, m, bytes, c.ideal);
  else
    c.cost = count_sectors(a, m);
  known = static_cast<std::uint8_t>(c.cost);
  memo.ideal = static_cast<std::uint8_t>(c.ideal);
  return c;
}

void count_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, AccessMemo& memo,
                  Access kind) {
  LaunchState& launch = *w.worker->launch;
  if (!launch.counts) return;
  AccessStats& s = w.worker->stats[i->target];
  s.requests += 1;
  s.lanes += lanes_in(m);
  s.bytes += u64{lanes_in(m)} * bytes;
  s.sectors += remembered_cost(memo, a, m, bytes, false).cost;
  std::uint8_t* touched = kind == Access::load ? launch.touched_read : launch.touched_written;
  u64 last = ~u64{0};
  for (u32 l = 0; l < kLanes; ++l) {
    const u64 at = (a[l] - kGlobalBase) >> 5;
    if ((m >> l & 1) == 0 || at == last) continue;
    touch_run(touched, at, at);
    last = at;
  }
  for (u32 l = 0; l < kLanes && launch.log != nullptr; ++l)
    if ((m >> l & 1) != 0) log_access(w, i, kind, a[l], bytes);
}

void count_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes) {
  if (!w.worker->launch->counts) return;
  AccessStats& s = w.worker->stats[i->target];
  s.shared_requests += 1;
  s.shared_lanes += lanes_in(m);
  const Cost c = remembered_cost(w.worker->memos[i->target], a, m, bytes, true);
  s.wavefronts += c.cost;
  s.ideal_wavefronts += c.ideal;
}

void remember_buffer(Warp& w, const Allocation& a, Access kind, AccessMemo& memo) {
  LaunchState& launch = *w.worker->launch;
  const auto number = static_cast<std::size_t>(&a - launch.memory->allocations().data());
  KnownBuffer now{a.begin, a.end(), a.fully_valid, a.read_only, false, nullptr};
  now.quiet = number < launch.quiet.size() && launch.quiet[number] && !launch.loud.load();
  if (number < launch.uses.size()) {
    now.uses = &launch.uses[number];
    const std::uint8_t what = kind == Access::load ? kUsed | kRead : kUsed;
    if ((now.uses->load() & what) != what) launch.uses[number].fetch_or(what);
  }
  if (now.quiet && kind != Access::load) {
    end_quiet(launch);
    forget_quiet(*w.worker);
    now.quiet = false;
  }
  memo.other = memo;
  static_cast<KnownBuffer&>(memo) = now;
}

/// One lane outside the remembered allocation: find its own or report. True when it may go on.
bool resolve_lane(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind,
                  AccessMemo& memo) {
  const Memory& memory = *w.worker->launch->memory;
  const Allocation* a = memory.nearest(address);
  const bool inside =
      a != nullptr && address >= a->begin && address < a->end() && bytes <= a->end() - address;
  if (inside && a->live) {
    if (kind != Access::load && a->read_only) {
      report_lazily(w, i, FaultKind::out_of_bounds, lane, address, "global", [&] {
        return "a write to constant memory: " + memory.describe(address, bytes);
      });
      return false;
    }
    remember_buffer(w, *a, kind, memo);
    return true;
  }
  const FaultKind fault = inside || (a != nullptr && !a->live && address < a->end())
                              ? FaultKind::use_after_free
                              : FaultKind::out_of_bounds;
  report_lazily(w, i, fault, lane, address, "global", [&] {
    return fmt::format("{} of {} bytes, {}", kind == Access::load ? "a read" : "a write", bytes,
                       memory.describe(address, bytes));
  });
  return false;
}

/// Whether all lanes are in the remembered allocation and aligned; without branches.
bool all_known(const u64* a, u32 m, u32 bytes, Access kind, const KnownBuffer& known) {
  if (!known.serves(kind == Access::load) || known.high < known.low + bytes) return false;
  const u64 room = known.high - known.low - bytes;
  u64 bad = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u64 outside = a[l] - known.low > room ? 1 : 0;
    bad |= (outside | (a[l] & (bytes - 1))) & ((m >> l & 1) != 0 ? ~u64{0} : 0);
  }
  return bad == 0;
}

/// Whether all lanes are in a piece of shared memory, and aligned.
bool all_inside(const u64* a, u32 m, u32 bytes, const Extent& e) {
  if (m == 0 || e.high - e.low < bytes) return false;
  const u64 room = e.high - e.low - bytes;
  u64 bad = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u64 outside = a[l] - e.low > room ? 1 : 0;
    bad |= (outside | (a[l] & (bytes - 1))) & ((m >> l & 1) != 0 ? ~u64{0} : 0);
  }
  return bad == 0;
}

/// The same where lanes are in one of two allocations, as with a pointer that each lane chooses.
bool both_known(const u64* a, u32 m, u32 bytes, const KnownBuffer& x, const KnownBuffer& y) {
  if (x.high < x.low + bytes || y.high < y.low + bytes) return false;
  const u64 x_room = x.high - x.low - bytes, y_room = y.high - y.low - bytes;
  u64 bad = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u64 outside = a[l] - x.low > x_room && a[l] - y.low > y_room ? 1 : 0;
    bad |= (outside | (a[l] & (bytes - 1))) & ((m >> l & 1) != 0 ? ~u64{0} : 0);
  }
  return bad == 0;
}

void set_lanes(const Memory& memory, const u64* a, u32 m, Target& t) {
  // As numbers: lanes that are off may have any address, and nobody follows it.
  const auto base = reinterpret_cast<std::uintptr_t>(memory.host(kGlobalBase));
  for (u32 l = 0; l < kLanes; ++l)
    t.lane[l] = reinterpret_cast<std::byte*>(base + (a[l] - kGlobalBase));
  t.ok = m;
}

void resolve_lanes(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                   AccessMemo& memo, Target& t) {
  t.ok = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    if ((a[l] & (bytes - 1)) != 0) {
      report_misaligned(w, i, l, a[l], bytes, "global");
      continue;
    }
    const bool known = memo.has(a[l], bytes) && memo.serves(kind == Access::load);
    if (!known && !resolve_lane(w, i, l, a[l], bytes, kind, memo)) continue;
    t.lane[l] = w.worker->launch->memory->host(a[l]);
    t.ok |= u32{1} << l;
  }
}

/// Lanes that are all in the remembered allocation.
void resolve_known(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                   AccessMemo& memo, Target& t) {
  set_lanes(*w.worker->launch->memory, a, m, t);
  count_global(w, i, a, m, bytes, memo, kind);
  if (w.full_checks && !memo.carefree()) check_global(w, i, a, m, bytes, kind, memo);
}

}  // namespace

namespace {

/// How many different numbers there are among those of the lanes.
u32 count_different(const u64* a, u32 m, u32 shift) {
  u64 seen[64];
  u64 used = 0;
  u32 count = 0;
  u64 last = ~u64{0};
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const u64 s = a[l] >> shift;
    if (s == last) continue;
    last = s;
    u32 at = static_cast<u32>(s * 0x9e3779b97f4a7c15u >> 58);
    while ((used >> at & 1) != 0 && seen[at] != s) at = (at + 1) & 63;
    if ((used >> at & 1) != 0) continue;
    used |= u64{1} << at;
    seen[at] = s;
    ++count;
  }
  return count;
}

}  // namespace

u32 count_sectors(const u64* a, u32 m) { return count_different(a, m, 5); }

bool all_distinct(AccessMemo& memo, const u64* a, u32 m) {
  if (m == 0) return true;
  u32 offsets[kLanes];
  const bool same = same_offsets(memo, a, m, offsets);
  if (same && memo.distinct) return true;
  const bool distinct = count_different(a, m, 0) == lanes_in(m);
  if (same) memo.distinct = distinct;
  return distinct;
}

u32 count_wavefronts(const u64* a, u32 m, u32 bytes, u32& ideal) {
  // 8- and 16-byte accesses are served half a warp and a quarter at a time.
  const u32 groups = bytes <= 4 ? 1 : bytes / 4;
  const u32 lanes = kLanes / groups;
  u32 total = 0;
  ideal = 0;
  for (u32 g = 0; g < groups; ++g) {
    u64 words[32][32];
    u32 depth[32] = {};
    u32 worst = 0;
    for (u32 l = g * lanes; l < (g + 1) * lanes; ++l) {
      if ((m >> l & 1) == 0) continue;
      for (u32 k = 0; k < (bytes + 3) / 4; ++k) {
        const u64 word = (a[l] >> 2) + k;
        const u32 bank = word & 31;
        bool known = false;
        for (u32 d = 0; d < depth[bank] && !known; ++d) known = words[bank][d] == word;
        if (!known) words[bank][depth[bank]++] = word;
        worst = std::max(worst, depth[bank]);
      }
    }
    total += worst;
    ideal += worst > 0 ? 1 : 0;
  }
  return total;
}

void resolve_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t) {
  AccessMemo& memo = w.worker->memos[i->target];
  if (all_known(a, m, bytes, kind, memo)) return resolve_known(w, i, a, m, bytes, kind, memo, t);
  if (kind == Access::load && memo.carefree() && memo.other.carefree() &&
      both_known(a, m, bytes, memo, memo.other)) {
    set_lanes(*w.worker->launch->memory, a, m, t);
    return count_global(w, i, a, m, bytes, memo, kind);
  }
  resolve_lanes(w, i, a, m, bytes, kind, memo, t);
  if (t.ok == 0) return;
  count_global(w, i, a, t.ok, bytes, memo, kind);
  if (w.full_checks) check_global(w, i, a, t.ok, bytes, kind, memo);
}

namespace {

/// An access that left the variable it was meant for, for another one of the same memory.
std::string describe_outside(const std::vector<SharedVariable>& all, const Extent& e, u64 at,
                             u32 bytes, Access kind) {
  std::string meant = "a variable", there;
  for (const SharedVariable& v : all) {
    if (v.offset == e.low && v.size_bytes == e.high - e.low) meant = "'" + v.name + "'";
    if (at >= v.offset && at < v.offset + v.size_bytes) there = ", in '" + v.name + "'";
  }
  const std::string where = at < e.low ? fmt::format("{} bytes before the start", e.low - at)
                                       : fmt::format("{} bytes past the end", at - e.high);
  return fmt::format(
      "{} of {} bytes, {} of {} ({} bytes){}", kind == Access::load ? "a read" : "a write", bytes,
      at < e.high && at >= e.low ? "across the end" : where, meant, e.high - e.low, there);
}

}  // namespace

void resolve_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t) {
  BlockState& b = *w.block;
  const Extent e = w.extents[i->target];
  if (all_inside(a, m, bytes, e)) {
    const auto base = reinterpret_cast<std::uintptr_t>(b.shared);
    for (u32 l = 0; l < kLanes; ++l) t.lane[l] = reinterpret_cast<std::byte*>(base + a[l]);
    t.ok = m;
    count_shared(w, i, a, m, bytes);
    if (w.full_checks) check_shared(w, i, a, m, bytes, kind);
    return;
  }
  t.ok = 0;
  for (u32 l = 0; l < kLanes; ++l)
    if ((m >> l & 1) != 0 && a[l] >> kClusterRankShift != 0 && a[l] < kWindowBytes) [[unlikely]]
      return resolve_cluster(w, i, a, m, bytes, kind, t);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const bool in_block = a[l] < b.shared_bytes && bytes <= b.shared_bytes - a[l];
    if (in_block && (a[l] < e.low || a[l] >= e.high || bytes > e.high - a[l])) {
      report_lazily(w, i, FaultKind::out_of_bounds, l, a[l], "shared",
                    [&] { return describe_outside(w.kernel->shared, e, a[l], bytes, kind); });
    } else if (!in_block) {
      report_lazily(w, i, FaultKind::out_of_bounds, l, a[l], "shared", [&] {
        const std::vector<SharedVariable>& all = w.kernel->shared;
        const auto last =
            std::max_element(all.begin(), all.end(),
                             [](const auto& x, const auto& y) { return x.offset < y.offset; });
        const std::string past =
            last == all.end() || w.worker->launch->launch->dynamic_shared_bytes != 0
                ? ""
                : fmt::format(" and ends with '{}'", last->name);
        return fmt::format("{} of {} bytes at byte {}; the block has {} bytes{}",
                           kind == Access::load ? "a read" : "a write", bytes, a[l], b.shared_bytes,
                           past);
      });
    } else if ((a[l] & (bytes - 1)) != 0) {
      report_misaligned(w, i, l, a[l], bytes, "shared");
    } else {
      t.lane[l] = b.shared + a[l];
      t.ok |= u32{1} << l;
    }
  }
  if (t.ok == 0) return;
  count_shared(w, i, a, t.ok, bytes);
  if (w.worker->launch->full_checks) check_shared(w, i, a, t.ok, bytes, kind);
}

namespace {

/// Variables lie side by side; an access must not go from one into the next.
bool in_local_variable(const Kernel& k, u64 at, u32 bytes) {
  for (const SharedVariable& v : k.local)
    if (at >= v.offset && at < v.offset + v.size_bytes)
      return bytes <= v.offset + v.size_bytes - at;
  return false;
}

u64 local_bytes(const Kernel& k) {
  u64 all = 0;
  for (const SharedVariable& v : k.local) all += v.size_bytes;
  return all;
}

}  // namespace

void resolve_local(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind, Target& t) {
  t.ok = 0;
  const u32 size = w.kernel->local_bytes;
  const Extent& e = w.kernel->extents[i->target];
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const bool somewhere = in_local_variable(*w.kernel, a[l], bytes);
    if (somewhere && (a[l] < e.low || a[l] >= e.high || bytes > e.high - a[l])) {
      report_lazily(w, i, FaultKind::out_of_bounds, l, a[l], "local",
                    [&] { return describe_outside(w.kernel->local, e, a[l], bytes, kind); });
    } else if (!somewhere) {
      report_lazily(w, i, FaultKind::out_of_bounds, l, a[l], "local", [&] {
        return fmt::format("{} of {} bytes; a thread has {} bytes",
                           kind == Access::load ? "a read" : "a write", bytes,
                           local_bytes(*w.kernel));
      });
    } else if ((a[l] & (bytes - 1)) != 0) {
      report_misaligned(w, i, l, a[l], bytes, "local");
    } else {
      t.lane[l] = w.local + u64{l} * size + a[l];
      t.ok |= u32{1} << l;
    }
  }
  if (w.worker->launch->full_checks) check_local(w, i, a, t.ok, bytes, kind);
  if (!w.worker->launch->counts) return;
  // Local memory is interleaved: lanes at the same offset share sectors.
  AccessStats& s = w.worker->stats[i->target];
  s.requests += 1;
  s.lanes += lanes_in(t.ok);
  s.bytes += u64{lanes_in(t.ok)} * bytes;
  s.sectors += (u64{lanes_in(t.ok)} * std::max(bytes, 4u) + 31) / 32;
}

void resolve_generic(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                     Target& t) {
  AccessMemo& memo = w.worker->memos[i->target];
  if (all_known(a, m, bytes, kind, memo)) return resolve_known(w, i, a, m, bytes, kind, memo, t);
  const u64 begin[4] = {0, kSharedWindow, kLocalWindow, kParamWindow};
  u32 in[4] = {};
  u64 inside[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 k = a[l] - begin[1] < kWindowBytes   ? 1
                  : a[l] - begin[2] < kWindowBytes ? 2
                  : a[l] - begin[3] < kWindowBytes ? 3
                                                   : 0;
    inside[l] = a[l] - begin[k];
    in[k] |= m & (u32{1} << l);
  }
  if (in[0] == m) return resolve_global(w, i, a, m, bytes, kind, t);
  if (in[1] == m) return resolve_shared(w, i, inside, m, bytes, kind, t);
  // Lanes in different spaces: each space in turn.
  Target part;
  t.ok = 0;
  const auto take = [&](u32 lanes) {
    for (u32 l = 0; l < kLanes; ++l) {
      if ((lanes & part.ok) >> l & 1) {
        t.lane[l] = part.lane[l];
        t.ok |= u32{1} << l;
      }
    }
  };
  if (in[0] != 0) resolve_global(w, i, a, in[0], bytes, kind, part), take(in[0]);
  if (in[1] != 0) resolve_shared(w, i, inside, in[1], bytes, kind, part), take(in[1]);
  if (in[2] != 0) resolve_local(w, i, inside, in[2], bytes, kind, part), take(in[2]);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((in[3] >> l & 1) == 0) continue;
    const auto params = w.worker->launch->launch->params;
    if (kind != Access::load || inside[l] >= params.size() || bytes > params.size() - inside[l]) {
      report(w, i, FaultKind::out_of_bounds, l, a[l], "parameter",
             "outside the kernel's parameters, or a write to them");
      continue;
    }
    t.lane[l] = const_cast<std::byte*>(params.data()) + inside[l];
    t.ok |= u32{1} << l;
  }
}

std::string describe_shared(const Warp& w, u64 address) {
  for (const SharedVariable& v : w.kernel->shared)
    if (address >= v.offset && address < v.offset + v.size_bytes)
      return fmt::format("byte {} of '{}'", address - v.offset, v.name);
  return fmt::format("byte {} of dynamic shared memory",
                     address - std::min<u64>(address, w.kernel->static_shared_bytes));
}

}  // namespace warpwright::simt
