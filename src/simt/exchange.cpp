// SPDX-License-Identifier: Apache-2.0
// Instructions in which lanes of a warp exchange values: shuffles, votes, matches, reductions.
//
// Each names the lanes that take part. Lanes that arrive on another way wait; the last to come
// executes the instruction for all.
#include <fmt/format.h>

#include <cstring>

#include "simt/alu.h"
#include "simt/handlers.h"
#include "simt/worker.h"

namespace warpwright::simt {
namespace {

struct Gathered {
  u32 lanes = 0;  ///< to execute for; 0: the split waits
};

/// Lanes that name each other must name the same lanes.
void report_disagreement(Warp& w, const Ins* i, u32 lanes) {
  const u32* masks = w.slot<u32>(i->c);
  for (u32 left = lanes; left != 0;) {
    const auto l = static_cast<u32>(std::countr_zero(left));
    const u32 group = (masks[l] & lanes) | u32{1} << l;
    for (u32 rest = group; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<u32>(std::countr_zero(rest));
      if (masks[k] == masks[l]) continue;
      report_lazily(w, i, FaultKind::sync_mask, l, 0, "", [&] {
        return fmt::format("lane {} says {:#010x}, lane {}, which it names, says {:#010x}", l,
                           masks[l], k, masks[k]);
      });
      return;
    }
    left &= ~group;
  }
}

Gathered gather(Warp& w, const Ins* i) {
  const u32 here = w.lanes(i);
  const u32* masks = w.slot<u32>(i->c);
  Split& current = w.splits[static_cast<std::size_t>(w.current)];
  u32 all = here;
  u32 named = 0;
  bool alone = w.splits.size() == 1;
  if (!alone) {
    for (Split& s : w.splits)
      if (s.state == Split::State::at_sync && s.ip == i) all |= s.mask;
  }
  u32 strangers = 0, differ = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((all >> l & 1) == 0) continue;
    differ |= named != 0 ? masks[l] ^ named : 0;
    named |= masks[l];
    if ((masks[l] >> l & 1) == 0) strangers |= u32{1} << l;
  }
  if (strangers != 0) {
    const auto lane = static_cast<u32>(std::countr_zero(strangers));
    report_lazily(w, i, FaultKind::sync_mask, lane, 0, "", [&] {
      return fmt::format("lane {} executes it, but is not in its mask {:#010x}", lane, masks[lane]);
    });
  }
  if (differ != 0) report_disagreement(w, i, all);
  const u32 missing = named & w.live & ~all;
  if (missing != 0 && !current.forced) {
    current.state = Split::State::at_sync;
    current.ip = i;
    return {0};
  }
  current.forced = false;
  if (!alone) {
    for (Split& s : w.splits) {
      if (s.state != Split::State::at_sync || s.ip != i || &s == &current) continue;
      s.state = Split::State::ready;
      s.ip = i + 1;
    }
  }
  ++w.sync_epoch;
  return {all};
}

/// Calls body(lanes) for each set of lanes that named the same mask.
template <class Body>
void for_groups(const Warp& w, const Ins* i, u32 lanes, Body body) {
  const u32* masks = w.slot<u32>(i->c);
  u32 left = lanes;
  while (left != 0) {
    const u32 mask = masks[std::countr_zero(left)];
    u32 group = 0;
    for (u32 l = 0; l < kLanes; ++l)
      if ((left >> l & 1) != 0 && masks[l] == mask) group |= u32{1} << l;
    body(group);
    left &= ~group;
  }
}

template <class T>
void put(T* d, u32 lanes, T value) {
  for (u32 l = 0; l < kLanes; ++l)
    if ((lanes >> l & 1) != 0) d[l] = value;
}

template <class T, T (*F)(T, T)>
const Ins* run_redux(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 lanes = gather(w, i).lanes;
  if (lanes == 0) return switch_split(w);
  T values[kLanes];
  std::memcpy(values, w.slot<T>(i->a), sizeof values);
  for_groups(w, i, lanes, [&](u32 group) {
    T result = values[std::countr_zero(group)];
    for (u32 rest = group & (group - 1); rest != 0; rest &= rest - 1)
      result = F(result, values[std::countr_zero(rest)]);
    put(w.slot<T>(i->d), group, result);
  });
  return i + 1;
}

u32 add(u32 a, u32 b) { return a + b; }
u32 and_(u32 a, u32 b) { return a & b; }
u32 or_(u32 a, u32 b) { return a | b; }
u32 xor_(u32 a, u32 b) { return a ^ b; }
template <class T>
T min_(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T max_(T a, T b) {
  return a > b ? a : b;
}

template <class T, bool kAll>
const Ins* run_match(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 lanes = gather(w, i).lanes;
  if (lanes == 0) return switch_split(w);
  T values[kLanes];
  std::memcpy(values, w.slot<T>(i->a), sizeof values);
  u32* d = w.slot<u32>(i->d);
  u32* p = w.slot<u32>(i->more[0]);
  for_groups(w, i, lanes, [&](u32 group) {
    for (u32 l = 0; l < kLanes; ++l) {
      if ((group >> l & 1) == 0) continue;
      u32 same = 0;
      for (u32 k = 0; k < kLanes; ++k)
        if ((group >> k & 1) != 0 && values[k] == values[l]) same |= u32{1} << k;
      d[l] = kAll && same != group ? 0 : same;
      const u32 bit = u32{1} << l;
      *p = kAll && same == group ? *p | bit : *p & ~bit;
    }
  });
  return i + 1;
}

}  // namespace

u32 source_lane(u32 mode, u32 l, u32 b, u32 c, bool& in_range) {
  const u32 segment = c >> 8 & 31;
  const u32 limit = (l & segment) | (c & 31 & ~segment);
  const int lane = static_cast<int>(l);
  int j = 0;
  switch (mode) {
    case 0:
      j = lane - static_cast<int>(b & 31);
      in_range = j >= static_cast<int>(limit);
      break;
    case 1:
      j = lane + static_cast<int>(b & 31);
      in_range = j <= static_cast<int>(limit);
      break;
    case 2:
      j = lane ^ static_cast<int>(b & 31);
      in_range = j <= static_cast<int>(limit);
      break;
    default:
      j = static_cast<int>((l & segment) | (b & 31 & ~segment));
      in_range = j <= static_cast<int>(limit);
      break;
  }
  return in_range ? static_cast<u32>(j) : l;
}

const Ins* run_warp_sync(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  if (gather(w, i).lanes == 0) return switch_split(w);
  return i + 1;
}

const Ins* run_shuffle(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 lanes = gather(w, i).lanes;
  if (lanes == 0) return switch_split(w);
  u32 values[kLanes];
  std::memcpy(values, w.slot<u32>(i->a), sizeof values);
  const u32* b = w.slot<u32>(i->b);
  const u32* c = w.slot<u32>(i->more[1]);
  u32* d = w.slot<u32>(i->d);
  u32 ranges = 0;
  u32 absent = 0;
  u32 from[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    bool in_range = false;
    from[l] = source_lane(i->aux, l, b[l], c[l], in_range);
    ranges |= in_range ? u32{1} << l : 0;
    absent |= (lanes >> from[l] & 1) == 0 ? u32{1} << l : 0;
  }
  for (u32 l = 0; l < kLanes; ++l) d[l] = (lanes >> l & 1) != 0 ? values[from[l]] : d[l];
  u32* p = w.slot<u32>(i->more[0]);
  *p = (*p & ~lanes) | (ranges & lanes);
  if ((absent & lanes) != 0) {
    const auto lane = static_cast<u32>(std::countr_zero(absent & lanes));
    report_lazily(w, i, FaultKind::sync_mask, lane, 0, "", [&] {
      return fmt::format("lane {} reads lane {}, which takes no part", lane, from[lane]);
    });
  }
  return i + 1;
}

const Ins* run_vote(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 lanes = gather(w, i).lanes;
  if (lanes == 0) return switch_split(w);
  const u32 p = w.predicate(i->a);
  for_groups(w, i, lanes, [&](u32 group) {
    const u32 yes = p & group;
    if (i->aux == 3) {
      put(w.slot<u32>(i->d), group, yes);
      return;
    }
    const bool result = i->aux == 0   ? yes == group
                        : i->aux == 1 ? yes != 0
                                      : yes == 0 || yes == group;
    u32* d = w.slot<u32>(i->d);
    *d = (*d & ~group) | (result ? group : 0);
  });
  return i + 1;
}

const Ins* run_elect(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  const u32 lanes = gather(w, i).lanes;
  if (lanes == 0) return switch_split(w);
  u32* p = w.slot<u32>(i->more[0]);
  for_groups(w, i, lanes, [&](u32 group) {
    const auto leader = static_cast<u32>(std::countr_zero(group));
    put(w.slot<u32>(i->d), group, leader);
    *p = (*p & ~group) | u32{1} << leader;
  });
  return i + 1;
}

const Ins* run_active_mask(Warp& w, const Ins* i) {
  put(w.slot<u32>(i->d), w.lanes(i), w.lanes(i));
  return i + 1;
}

Handler match_handler(bool all, std::uint32_t width) {
  if (width == 8) return all ? run_match<u64, true> : run_match<u64, false>;
  return all ? run_match<u32, true> : run_match<u32, false>;
}

Handler redux_handler(std::string_view op, std::string_view type) {
  const bool is_signed = type == "s32";
  if (!is_signed && type != "u32" && type != "b32") return nullptr;
  if (op == "add") return run_redux<u32, add>;
  if (op == "and") return run_redux<u32, and_>;
  if (op == "or") return run_redux<u32, or_>;
  if (op == "xor") return run_redux<u32, xor_>;
  if (op == "min") return is_signed ? run_redux<s32, min_<s32>> : run_redux<u32, min_<u32>>;
  if (op == "max") return is_signed ? run_redux<s32, max_<s32>> : run_redux<u32, max_<u32>>;
  return nullptr;
}

}  // namespace warpwright::simt
