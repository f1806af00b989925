// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/definedness.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

bool is_register(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

template <class Visit>
void for_operands(const Lir& l, Visit visit) {
  for (const Val v : {l.a, l.b, l.c})
    if (is_register(v)) visit(v);
  for (std::size_t k = l.more_defs; k < l.more.size(); ++k)
    if (is_register(l.more[k])) visit(l.more[k]);
}

template <class Visit>
void for_results(const Lir& l, Visit visit) {
  if (is_register(l.d)) visit(l.d);
  for (std::size_t k = 0; k < l.more_defs; ++k)
    if (is_register(l.more[k])) visit(l.more[k]);
}

bool is_load(OpClass c) {
  return c == OpClass::load_global || c == OpClass::load_shared || c == OpClass::load_local ||
         c == OpClass::load_const;
}

bool is_store(OpClass c) {
  return c == OpClass::store_global || c == OpClass::store_shared || c == OpClass::store_local ||
         c == OpClass::atomic;
}

/// Values of other lanes, or kept for later (frames of calls): not followed.
bool is_opaque(const Lir& l) {
  const OpClass c = l.info.op_class;
  return c == OpClass::warp || c == OpClass::tensor || c == OpClass::barrier ||
         (c == OpClass::control && l.flow == Lir::Flow::next);
}

/// The value of one operand or the other, by a predicate.
bool is_select(const Lir& l) {
  return l.info.row != nullptr && l.info.row->native.rule == ShapeRule::select;
}

bool is_pure(const Lir& l) {
  const OpClass c = l.info.op_class;
  return l.flow == Lir::Flow::next && !is_load(c) && !is_store(c) && !is_opaque(l);
}

bool is_shuffle(const Lir& l) { return l.info.opcode == Opcode::shuffle; }

/// Whether lanes may read others that its mask does not name.
bool is_partial(const LoweredKernel& k, const Lir& l) {
  if (is_register(l.c)) return true;
  const Constant& mask = k.kernel.constants[l.c & ~kConstantBit];
  return mask.kind != Constant::Kind::bits || static_cast<std::uint32_t>(mask.value) != kAllLanes;
}

/// Registers, a bit each.
class Set {
 public:
  Set(std::size_t registers, bool all)
      : words_((registers + 63) / 64, all ? ~std::uint64_t{0} : 0) {}
  [[nodiscard]] bool has(Val v) const { return (words_[v / 64] >> (v % 64) & 1) != 0; }
  void add(Val v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void keep_only(const Set& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
  }
  bool operator==(const Set&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};
// Kernels beyond any that people write are not followed, so that loading stays quick.
constexpr std::size_t kMostWork = std::size_t{1} << 26;

/// Adds what an instruction writes for certain.
void assign(const Lir& l, Set& assigned) {
  if (l.guard == kNoVal) for_results(l, [&](Val v) { assigned.add(v); });
}

/// For each block, the registers that every way to its end has written.
std::vector<Set> written_at_end(const LoweredKernel& k, const FlowGraph& g,
                                const std::vector<std::vector<std::uint32_t>>& before,
                                const Set& start) {
  const std::size_t blocks = g.blocks.size();
  std::vector<Set> out(blocks, Set(k.registers.size(), true));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      Set now = b == 0 ? start : Set(k.registers.size(), true);
      for (const std::uint32_t p : before[b]) now.keep_only(out[p]);
      for (std::uint32_t i = g.blocks[b].first; i < g.blocks[b].last; ++i) assign(k.code[i], now);
      if (now == out[b]) continue;
      out[b] = std::move(now);
      changed = true;
    }
  }
  return out;
}

/// Registers that are read somewhere although not every way there writes them.
Set read_early(const LoweredKernel& k, const FlowGraph& g) {
  const std::size_t n = k.registers.size(), blocks = g.blocks.size();
  if (n * blocks > kMostWork) return Set(n, false);
  std::vector<std::vector<std::uint32_t>> before(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b)
    for (const std::uint32_t s : g.blocks[b].successors)
      if (s < blocks) before[s].push_back(b);
  Set start(n, false);
  for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s)
    if (k.kernel.uses_lane_special[s]) start.add(k.kernel.lane_special_ref[s]);
  const auto out = written_at_end(k, g, before, start);
  Set early(n, false);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Set now = b == 0 ? start : Set(n, true);
    for (const std::uint32_t p : before[b]) now.keep_only(out[p]);
    for (std::uint32_t i = g.blocks[b].first; i < g.blocks[b].last; ++i) {
      const auto look = [&](Val v) {
        if (!now.has(v)) early.add(v);
      };
      for_operands(k.code[i], look);
      if (is_register(k.code[i].guard)) look(k.code[i].guard);
      assign(k.code[i], now);
    }
  }
  return early;
}

/// Adds everything that is computed from what is in the set.
template <class Spreads>
void spread(const LoweredKernel& k, Set& set, Spreads spreads) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Lir& l : k.code) {
      if (!spreads(l, set)) continue;
      for_results(l, [&](Val v) {
        changed = changed || !set.has(v);
        set.add(v);
      });
    }
  }
}

bool reads_any(const Lir& l, const Set& set) {
  bool any = false;
  for_operands(l, [&](Val v) { any = any || set.has(v); });
  return any;
}

/// Registers that may hold what a shuffle read from a lane that its mask does not name. Frames of
/// calls would lose track of them: then there are none, and the shuffle itself reports.
Set find_strays(const LoweredKernel& k) {
  Set strays(k.registers.size(), false);
  for (const Lir& l : k.code)
    if (l.info.opcode == Opcode::frame_save) return strays;
  for (const Lir& l : k.code)
    if (is_shuffle(l) && is_partial(k, l)) strays.add(l.d);
  if (strays.empty()) return strays;
  spread(k, strays, [](const Lir& l, const Set& set) {
    if (is_shuffle(l)) return is_register(l.a) && set.has(l.a);
    return is_pure(l) && (reads_any(l, set) || (is_register(l.guard) && set.has(l.guard)));
  });
  return strays;
}

}  // namespace

Definedness find_undefined(const LoweredKernel& k, const FlowGraph& g) {
  Definedness d;
  Set tracked = read_early(k, g);
  const Set strays = find_strays(k);
  if (tracked.empty() && strays.empty()) return d;
  spread(k, tracked, [](const Lir& l, const Set& set) { return is_pure(l) && reads_any(l, set); });
  d.shadow.assign(k.registers.size(), kNoShadow);
  if (!strays.empty()) d.stray.assign(k.registers.size(), false);
  for (Val v = 0; v < d.shadow.size(); ++v) {
    if (!tracked.has(v) && !strays.has(v)) continue;
    d.shadow[v] = d.count++;
    if (strays.has(v)) d.stray[v] = true;
  }
  return d;
}

ShadowStep shadow_step(const Definedness& d, const Lir& l) {
  ShadowStep step;
  if (d.count == 0) return step;
  const OpClass c = l.info.op_class;
  step.propagates = is_pure(l);
  step.reports = is_load(c) || is_store(c) || l.flow != Lir::Flow::next;
  step.guard = d.of(l.guard);
  step.selects = is_select(l) && d.of(l.c) == kNoShadow;
  const auto note = [](std::vector<std::uint32_t>& list, std::uint32_t word) {
    if (word != kNoShadow) list.push_back(word);
  };
  if (is_shuffle(l) && (d.may_stray(l.d) || d.may_stray(l.a))) {
    // Whom a lane reads must be known; what it reads may be used or not.
    step.shuffles = step.reports = step.only_strays = true;
    for (const Val v : {l.b, l.c, l.more[1]}) note(step.read, d.of(v));
    return step;
  }
  if (step.selects) {
    // Both ways must have a place in the list, also the one that is always defined.
    step.read = {d.of(l.a), d.of(l.b)};
    step.selects = step.read[0] != kNoShadow || step.read[1] != kNoShadow;
    if (!step.selects) step.read.clear();
  } else if (!is_opaque(l)) {
    for_operands(l, [&](Val v) { note(step.read, d.of(v)); });
  } else if (!d.stray.empty()) {
    // Votes, reductions, matrices, calls of the runtime: a stray value is used there.
    for_operands(l, [&](Val v) {
      if (d.may_stray(v)) note(step.read, d.of(v));
    });
    step.reports = step.reports || !step.read.empty();
    step.only_strays = true;
  }
  for_results(l, [&](Val v) { note(step.written, d.of(v)); });
  return step;
}

}  // namespace warpwright::simt
