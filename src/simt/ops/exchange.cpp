// SPDX-License-Identifier: Apache-2.0
// Instructions in which lanes of a warp exchange values: shuffles, votes, matches, reductions.
//
// Each names the lanes that take part. Lanes that arrive on another way wait, be it at this
// instruction or at another one of the same kind; the last to come executes it for all, with the
// registers of each lane's own instruction.
#include <fmt/format.h>

#include <algorithm>

#include "simt/ops/alu.h"
#include "simt/ops/handlers.h"
#include "simt/schedule/stuck_lanes.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

/// Lanes that meet in an exchange at one instruction, and those that have come elsewhere.
struct Part {
  const Ins* at;
  u32 lanes;
};
struct Gathered {
  u32 lanes = 0;               ///< to execute for; 0: the split waits
  u32 parts = 0;               ///< 1: all of them are here
  const u32* masks = nullptr;  ///< what each lane names, as its own instruction says it
  Part part[kLanes];
  u32 mask_buffer[kLanes];
};

/// Whether two instructions are the same but for their registers.
bool same_exchange(const Warp& w, const Ins* a, const Ins* b) {
  return w.kernel->info[a->id].opcode == w.kernel->info[b->id].opcode && a->aux == b->aux;
}

/// The lanes of a split that wait at its instruction.
u32 waiting_lanes(const Warp& w, const Split& s) {
  return s.mask & (w.predicate(s.ip->guard) ^ s.ip->guard_flip);
}

/// Takes the lanes' own values of a register that each part's instruction names.
template <class T>
void collect(const Warp& w, const Part& part, Ref ref, T* values) {
  const T* own = w.slot<T>(ref);
  for (u32 l = 0; l < kLanes; ++l)
    if ((part.lanes >> l & 1) != 0) values[l] = own[l];
}

/// Whether lanes at another instruction of the same kind name what lanes here name.
bool same_masks(const Warp& w, const Part& other, const Part& here) {
  const u32* masks = w.slot<u32>(here.at->c);
  const u32* theirs = w.slot<u32>(other.at->c);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((other.lanes >> l & 1) == 0) continue;
    bool known = false;
    for (u32 rest = here.lanes; rest != 0 && !known; rest &= rest - 1)
      known = masks[std::countr_zero(rest)] == theirs[l];
    if (!known) return false;
  }
  return true;
}

/// Adds the splits of the warp that wait for this exchange. PTX asks for the same instruction with
/// the same modifiers and mask, not for the same place in the text.
void add_waiting(const Warp& w, const Ins* i, Gathered& g) {
  for (const Split& s : w.splits) {
    if (s.state != Split::State::at_sync || s.ip != i) continue;
    g.part[0].lanes |= waiting_lanes(w, s);
  }
  g.lanes = g.part[0].lanes;
  for (const Split& s : w.splits) {
    if (s.state != Split::State::at_sync || s.ip == i || !same_exchange(w, s.ip, i)) continue;
    const Part other{s.ip, waiting_lanes(w, s)};
    if (other.lanes == 0 || !same_masks(w, other, g.part[0])) continue;
    g.part[g.parts++] = other;
    g.lanes |= other.lanes;
  }
  if (g.parts == 1) return;
  for (u32 p = 0; p < g.parts; ++p) collect(w, g.part[p], g.part[p].at->c, g.mask_buffer);
  g.masks = g.mask_buffer;
}

/// Lanes that name each other must name the same lanes.
void report_disagreement(Warp& w, const Ins* i, const u32* masks, u32 lanes) {
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

/// Lets the splits that took part go on behind their own instructions.
void release(Warp& w, const Gathered& g) {
  for (Split& s : w.splits) {
    if (s.state != Split::State::at_sync) continue;
    for (u32 p = 0; p < g.parts; ++p) {
      if (s.ip != g.part[p].at || (waiting_lanes(w, s) & ~g.part[p].lanes) != 0) continue;
      s.state = Split::State::ready;
      s.helped = false;
      ++s.ip;
      break;
    }
  }
}

/// Waits for the lanes that are named.
void gather(Warp& w, const Ins* i, Gathered& g) {
  g.parts = 1;
  g.part[0] = {i, w.lanes(i)};
  g.lanes = g.part[0].lanes;
  Split& current = w.splits[static_cast<std::size_t>(w.current)];
  const bool alone = w.splits.size() == 1;
  g.masks = w.slot<u32>(i->c);
  if (!alone) add_waiting(w, i, g);
  const u32* masks = g.masks;
  u32 named = 0, strangers = 0, differ = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((g.lanes >> l & 1) == 0) continue;
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
  if (differ != 0) report_disagreement(w, i, masks, g.lanes);
  if ((named & w.live & ~g.lanes) != 0 && !current.forced) {
    current.state = Split::State::at_sync;
    current.ip = i;
    g.lanes = 0;
    return;
  }
  current.forced = current.helped = false;
  if (!alone) {
    release(w, g);
    if (g.parts == 1) rejoin_freed(w, i);
  }
  ++w.sync_epoch;
}

/// An operand of all lanes: the register itself, or gathered from those of several instructions.
template <class T, class Which>
const T* operand(const Warp& w, const Gathered& g, T* buffer, Which which) {
  if (g.parts == 1) return w.slot<T>(which(g.part[0].at));
  std::fill(buffer, buffer + kLanes, T{});
  for (u32 p = 0; p < g.parts; ++p) collect(w, g.part[p], which(g.part[p].at), buffer);
  return buffer;
}

Ref first_operand(const Ins* i) { return i->a; }
Ref second_operand(const Ins* i) { return i->b; }
Ref clamp_operand(const Ins* i) { return i->more[1]; }

/// Gives every lane its result, in the register that its own instruction names.
template <class T>
void put(Warp& w, const Gathered& g, const T* values) {
  for (u32 p = 0; p < g.parts; ++p) {
    T* d = w.slot<T>(g.part[p].at->d);
    const u32 lanes = g.part[p].lanes;
    for (u32 l = 0; l < kLanes; ++l) d[l] = (lanes >> l & 1) != 0 ? values[l] : d[l];
  }
}

void put_bits(Warp& w, Ref ref, u32 lanes, u32 bits) {
  u32* d = w.slot<u32>(ref);
  *d = (*d & ~lanes) | (bits & lanes);
}

/// A predicate that is the second result.
void put_second(Warp& w, const Gathered& g, u32 bits) {
  for (u32 p = 0; p < g.parts; ++p) put_bits(w, g.part[p].at->more[0], g.part[p].lanes, bits);
}

/// Calls body(lanes) for each set of lanes that named the same mask.
template <class Body>
void for_groups(const u32* masks, u32 lanes, Body body) {
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
void fill(T* d, u32 lanes, T value) {
  for (u32 l = 0; l < kLanes; ++l)
    if ((lanes >> l & 1) != 0) d[l] = value;
}

template <class T, T (*F)(T, T)>
const Ins* run_redux(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  Gathered g;
  gather(w, i, g);
  if (g.lanes == 0) return switch_split(w);
  T buffer[kLanes], results[kLanes] = {};
  const T* values = operand(w, g, buffer, first_operand);
  for_groups(g.masks, g.lanes, [&](u32 group) {
    T result = values[std::countr_zero(group)];
    for (u32 rest = group & (group - 1); rest != 0; rest &= rest - 1)
      result = F(result, values[std::countr_zero(rest)]);
    fill(results, group, result);
  });
  put(w, g, results);
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
  Gathered g;
  gather(w, i, g);
  if (g.lanes == 0) return switch_split(w);
  T buffer[kLanes];
  u32 results[kLanes] = {}, agree = 0;
  const T* values = operand(w, g, buffer, first_operand);
  for_groups(g.masks, g.lanes, [&](u32 group) {
    for (u32 l = 0; l < kLanes; ++l) {
      if ((group >> l & 1) == 0) continue;
      u32 same = 0;
      for (u32 k = 0; k < kLanes; ++k)
        if ((group >> k & 1) != 0 && values[k] == values[l]) same |= u32{1} << k;
      results[l] = kAll && same != group ? 0 : same;
      agree |= kAll && same == group ? u32{1} << l : 0;
    }
  });
  put(w, g, results);
  put_second(w, g, agree);
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
  Gathered g;
  gather(w, i, g);
  return g.lanes == 0 ? switch_split(w) : i + 1;
}

namespace {

/// What a shuffle read, lane by lane.
struct Shuffled {
  const u32* from;
  u32 absent;  ///< lanes that read one that takes no part
};

/// Lanes whose value was stray before it was given to others.
u32 stray_sources(const Warp& w, const Gathered& g) {
  if (!w.kernel->follows_strays) return 0;
  const u32* strays = w.undefined.data() + w.kernel->shadow_words;
  u32 lanes = 0;
  for (u32 p = 0; p < g.parts; ++p) {
    const Ins* at = g.part[p].at;
    if (at->target != 0 && at->imm >= 0) lanes |= strays[at->imm] & g.part[p].lanes;
  }
  return lanes;
}

/// Follows what came from lanes that take no part, or reports it where it cannot be followed.
void note_strays(Warp& w, const Gathered& g, const Shuffled& s) {
  const u32 sources = stray_sources(w, g);
  u32 stray = s.absent;
  for (u32 l = 0; l < kLanes && sources != 0; ++l) stray |= (sources >> s.from[l] & 1) << l;
  for (u32 p = 0; p < g.parts; ++p) {
    const Part& part = g.part[p];
    if (part.at->target != 0) {
      u32* words = w.undefined.data();
      const u32 word = part.at->target - 1;
      words[word] &= ~part.lanes;
      u32& mine = words[w.kernel->shadow_words + word];
      mine = (mine & ~part.lanes) | (stray & part.lanes);
      if ((s.absent & part.lanes) != 0) w.stray_from = part.at->id;
    } else if ((s.absent & part.lanes) != 0) {
      const auto lane = static_cast<u32>(std::countr_zero(s.absent & part.lanes));
      report_lazily(w, part.at, FaultKind::sync_mask, lane, 0, "", [&] {
        return fmt::format("lane {} reads lane {}, which takes no part", lane, s.from[lane]);
      });
    }
  }
}

}  // namespace

const Ins* run_shuffle(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  Gathered g;
  gather(w, i, g);
  if (g.lanes == 0) return switch_split(w);
  const u32 lanes = g.lanes;
  u32 a_buffer[kLanes], b_buffer[kLanes], c_buffer[kLanes];
  const u32* values = operand(w, g, a_buffer, first_operand);
  const u32* b = operand(w, g, b_buffer, second_operand);
  const u32* c = operand(w, g, c_buffer, clamp_operand);
  u32 ranges = 0;
  u32 absent = 0;
  u32 from[kLanes], results[kLanes];
  for (u32 l = 0; l < kLanes; ++l) {
    bool in_range = false;
    from[l] = source_lane(i->aux, l, b[l], c[l], in_range);
    ranges |= in_range ? u32{1} << l : 0;
    absent |= (lanes >> from[l] & 1) == 0 ? u32{1} << l : 0;
    results[l] = values[from[l]];
  }
  put(w, g, results);
  put_second(w, g, ranges);
  if ((absent & lanes) != 0 || w.kernel->follows_strays) note_strays(w, g, {from, absent & lanes});
  return i + 1;
}

const Ins* run_vote(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  Gathered g;
  gather(w, i, g);
  if (g.lanes == 0) return switch_split(w);
  u32 p = 0;
  for (u32 k = 0; k < g.parts; ++k) p |= w.predicate(g.part[k].at->a) & g.part[k].lanes;
  u32 ballots[kLanes] = {}, verdict = 0;
  for_groups(g.masks, g.lanes, [&](u32 group) {
    const u32 yes = p & group;
    fill(ballots, group, yes);
    const bool result = i->aux == 0   ? yes == group
                        : i->aux == 1 ? yes != 0
                                      : yes == 0 || yes == group;
    verdict |= result ? group : 0;
  });
  if (i->aux == 3) {
    put(w, g, ballots);
  } else {
    for (u32 k = 0; k < g.parts; ++k) put_bits(w, g.part[k].at->d, g.part[k].lanes, verdict);
  }
  return i + 1;
}

const Ins* run_elect(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
  Gathered g;
  gather(w, i, g);
  if (g.lanes == 0) return switch_split(w);
  u32 leaders[kLanes] = {}, chosen = 0;
  for_groups(g.masks, g.lanes, [&](u32 group) {
    const auto leader = static_cast<u32>(std::countr_zero(group));
    fill(leaders, group, leader);
    chosen |= u32{1} << leader;
  });
  put(w, g, leaders);
  put_second(w, g, chosen);
  return i + 1;
}

const Ins* run_active_mask(Warp& w, const Ins* i) {
  fill(w.slot<u32>(i->d), w.lanes(i), w.lanes(i));
  return i + 1;
}

Handler match_handler(bool all, std::uint32_t width) {
  if (width == 8) return all ? run_match<u64, true> : run_match<u64, false>;
  return all ? run_match<u32, true> : run_match<u32, false>;
}

namespace {

struct ReduxRow {
  std::string_view op;
  Handler of_unsigned, of_signed;
};
constexpr ReduxRow kReductions[] = {
    {"add", run_redux<u32, add>, run_redux<u32, add>},
    {"and", run_redux<u32, and_>, run_redux<u32, and_>},
    {"or", run_redux<u32, or_>, run_redux<u32, or_>},
    {"xor", run_redux<u32, xor_>, run_redux<u32, xor_>},
    {"min", run_redux<u32, min_<u32>>, run_redux<s32, min_<s32>>},
    {"max", run_redux<u32, max_<u32>>, run_redux<s32, max_<s32>>},
};

}  // namespace

Handler redux_handler(std::string_view op, std::string_view type, std::uint32_t& form) {
  const bool is_signed = type == "s32";
  if (!is_signed && type != "u32" && type != "b32") return nullptr;
  form = 0;
  for (const ReduxRow& row : kReductions) {
    const bool differ = row.of_signed != row.of_unsigned && is_signed;
    if (row.op == op) return form += differ ? 1 : 0, differ ? row.of_signed : row.of_unsigned;
    form += 2;
  }
  return nullptr;
}

}  // namespace warpwright::simt
