// SPDX-License-Identifier: Apache-2.0
#include "simt/native/shapes.h"

#include <algorithm>
#include <bit>

namespace warpwright::simt {
namespace {

bool is_shadow(Opcode o) {
  return o == Opcode::shadow_report || o == Opcode::shadow_write || o == Opcode::shadow_spread ||
         o == Opcode::shadow_select;
}

}  // namespace

template <class Visit>
void KernelShapes::for_reads(std::uint32_t id, Visit visit) const {
  const Ins& i = k_.code[id];
  const InsInfo& info = k_.info[id];
  for (const Ref r : {i.a, i.b, i.c, i.guard})
    if (const std::int32_t s = slot_of(r); s >= 0) visit(static_cast<std::uint32_t>(s));
  for (std::uint32_t m = info.more_defs; m < info.more; ++m)
    if (const std::int32_t s = slot_of(i.more[m]); s >= 0) visit(static_cast<std::uint32_t>(s));
}

template <class Visit>
void KernelShapes::for_writes(std::uint32_t id, Visit visit) const {
  const Ins& i = k_.code[id];
  if (const std::int32_t s = slot_of(i.d); s >= 0) visit(static_cast<std::uint32_t>(s));
  for (std::uint32_t m = 0; m < k_.info[id].more_defs; ++m)
    if (const std::int32_t s = slot_of(i.more[m]); s >= 0) visit(static_cast<std::uint32_t>(s));
}

std::int32_t KernelShapes::slot_of(Ref ref) const {
  if ((ref & kConstantBit) != 0 || ref / 4 >= slot_by_word_.size()) return -1;
  return slot_by_word_[ref / 4];
}

const Constant* KernelShapes::constant_of(Ref ref) const {
  for (const Constant& c : k_.constants)
    if (c.ref == ref) return &c;
  return nullptr;
}

/// All lanes take part and who reads whom is known.
bool KernelShapes::is_exchange(const Ins& i) const {
  bool known = false;
  const Opcode opcode = k_.info[i.id].opcode;
  if ((opcode != Opcode::shuffle && opcode != Opcode::warp_sync) || guarded(i)) return false;
  if (literal(i.c, known) != kAllLanes || !known) return false;
  if (opcode == Opcode::warp_sync) return true;
  if (i.target != 0) return false;  // of values that may be stray: the handler follows them
  (void)literal(i.b, known);
  bool clamp_known = false;
  (void)literal(i.more[1], clamp_known);
  return known && clamp_known;
}

NativeStep KernelShapes::step_of(std::uint32_t id) const {
  const Ins& i = k_.code[id];
  NativeStep n;
  const InsInfo& info = k_.info[id];
  const Opcode o = info.opcode;
  if (o == Opcode::jump) return n.step = Step::jump, n;
  if (o == Opcode::branch) return n.step = Step::branch, n;
  if (o == Opcode::exit || o == Opcode::guarded_exit || o == Opcode::branch_table)
    return n.step = Step::end, n;
  if (o == Opcode::barrier) return n.step = Step::suspend, n;
  if (o == Opcode::nothing) return n.step = Step::nothing, n;
  if (is_shadow(o)) return n.step = options_.full_checks ? Step::call : Step::nothing, n;
  if (o == Opcode::tally || o == Opcode::wait_turn || o == Opcode::wait_over ||
      info.op_class == OpClass::atomic)
    return n.step = Step::call, n;
  if (is_exchange(i)) return n.step = Step::exchange, n;
  const bool arithmetic = o == Opcode::arithmetic;
  n.op = arithmetic && info.row->native.name != nullptr ? info.row : nullptr;
  n.access = info.memory_form();
  // Guarded instructions keep what the other lanes had: the handler does it.
  if (guarded(i)) {
    n.step = arithmetic || n.access != nullptr ? Step::call : Step::leaving;
    n.op = nullptr;
    n.access = nullptr;
    return n;
  }
  n.step = n.op != nullptr       ? Step::operation
           : n.access != nullptr ? Step::access
           : arithmetic          ? Step::call
                                 : Step::leaving;
  if (n.access != nullptr && (i.aux & kStrongAccess) != 0) {
    n.step = Step::call;
    n.access = nullptr;
  }
  return n;
}

bool KernelShapes::classify() {
  steps_.resize(k_.code.size());
  ends_.resize(k_.blocks.size());
  for (std::uint32_t b = 0; b < k_.blocks.size(); ++b) {
    const std::uint32_t limit = b + 1 < k_.blocks.size()
                                    ? k_.blocks[b + 1].first
                                    : static_cast<std::uint32_t>(k_.code.size());
    std::uint32_t id = k_.blocks[b].first;
    for (; id < limit; ++id) {
      const Opcode o = k_.info[id].opcode;
      // Calls save registers behind our back.
      if (o == Opcode::call || o == Opcode::indirect_call || o == Opcode::give_back ||
          o == Opcode::frame_save || o == Opcode::frame_restore)
        return false;
      steps_[id] = step_of(id);
      const Step s = steps_[id].step;
      if (s == Step::branch || s == Step::jump || s == Step::end) break;
    }
    if (id == limit) return false;
    ends_[b] = id + 1;
  }
  return true;
}

void KernelShapes::add_slot(Ref ref, std::uint8_t width) {
  if ((ref & kConstantBit) != 0 || slot_of(ref) >= 0) return;
  slot_by_word_[ref / 4] = static_cast<std::int32_t>(slots_.size());
  slots_.push_back({ref, width, false, {}});
}

/// Registers share places only with others of their width, so a place is a variable. Its width is
/// the distance to the next place.
void KernelShapes::find_slots() {
  slot_by_word_.assign(k_.register_bytes / 4 + 1, -1);
  for (const auto& [ref, width] : k_.places) add_slot(ref, width);
  for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s) {
    if (!k_.uses_lane_special[s]) continue;
    const std::int32_t at = slot_of(k_.lane_special_ref[s]);
    if (at < 0) continue;
    Slot& slot = slots_[static_cast<std::size_t>(at)];
    slot.fixed = true;
    const auto kind = static_cast<LaneSpecial>(s);
    slot.fixed_facts = vector_facts();
    const bool tid = kind <= LaneSpecial::tid_z;
    if (kind == LaneSpecial::laneid || (kind == LaneSpecial::tid_x && options_.whole_rows)) {
      slot.fixed_facts.shape = Shape::affine;
      slot.fixed_facts.stride_known = true;
      slot.fixed_facts.stride = 1;
      slot.fixed_facts.zero_bits = 5;
    } else if (kind == LaneSpecial::warpid || (tid && options_.whole_rows)) {
      slot.fixed_facts = uniform_facts(0);
    }
  }
}

std::vector<std::uint32_t> KernelShapes::successors(std::uint32_t block) const {
  const Ins& last = k_.code[ends_[block] - 1];
  const Opcode o = k_.info[last.id].opcode;
  if (o == Opcode::jump) return {last.target};
  if (o == Opcode::branch) return {last.target, last.aux};
  if (o == Opcode::guarded_exit) return {last.aux};
  if (o == Opcode::branch_table) return k_.jump_tables[last.target];
  return {};
}

void KernelShapes::find_live() {
  live_.assign(k_.code.size() + 1, std::vector<bool>(slots_.size(), false));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = static_cast<std::uint32_t>(k_.blocks.size()); b-- > 0;) {
      std::vector<bool> live(slots_.size(), false);
      for (const std::uint32_t s : successors(b))
        for (std::size_t v = 0; v < live.size(); ++v)
          live[v] = live[v] || live_[k_.blocks[s].first][v];
      for (std::uint32_t id = ends_[b]; id-- > k_.blocks[b].first;) {
        const Step step = steps_[id].step;
        // A handler may leave some lanes of its result as they were.
        const bool kills =
            step == Step::operation || step == Step::access || step == Step::exchange;
        if (step != Step::nothing) {
          for_writes(id, [&](std::uint32_t v) { live[v] = !kills; });
          for_reads(id, [&](std::uint32_t v) { live[v] = true; });
        }
        if (live == live_[id]) continue;
        live_[id] = live;
        changed = true;
      }
    }
  }
}

std::uint64_t KernelShapes::literal(Ref ref, bool& known) const {
  const Constant* c = (ref & kConstantBit) != 0 ? constant_of(ref) : nullptr;
  known = c != nullptr && c->kind == Constant::Kind::bits;
  return known ? c->value : 0;
}

ValueFacts KernelShapes::facts_of(const SlotState& s, Ref ref) const {
  const std::int32_t slot = slot_of(ref);
  if (slot < 0) {
    bool known = false;
    const std::uint64_t bits = literal(ref, known);
    return uniform_facts(known ? static_cast<std::uint32_t>(std::countr_zero(bits)) : 0);
  }
  const ValueFacts& f = s.facts[static_cast<std::size_t>(slot)];
  return f.shape == Shape::none ? vector_facts() : f;
}

void KernelShapes::advance(SlotState& s, std::uint32_t id) const {
  const Step step = steps_[id].step;
  if (step == Step::nothing || step == Step::branch || step == Step::jump) return;
  const ValueFacts result = result_of(s, id);
  const bool native = step == Step::operation || step == Step::access || step == Step::exchange;
  if (step == Step::call) {
    for_reads(id, [&](std::uint32_t v) { s.dirty[v] = false; });
  } else if (step == Step::suspend) {
    // Values that need no 32 numbers are kept aside.
    for (std::size_t v = 0; v < s.dirty.size(); ++v)
      if (s.facts[v].shape == Shape::vector) s.dirty[v] = false;
  } else if (!native) {
    s.dirty.assign(s.dirty.size(), false);
  }
  for_writes(id, [&](std::uint32_t v) {
    s.facts[v] = result;
    s.dirty[v] = native;
  });
}

void KernelShapes::find_values() {
  const std::size_t n = k_.blocks.size();
  SlotState start{std::vector<ValueFacts>(slots_.size(), vector_facts()),
                  std::vector<bool>(slots_.size(), false)};
  for (std::size_t v = 0; v < slots_.size(); ++v)
    if (slots_[v].fixed) start.facts[v] = slots_[v].fixed_facts;
  const SlotState nothing{std::vector<ValueFacts>(slots_.size()),
                          std::vector<bool>(slots_.size(), false)};
  in_.assign(n, nothing);
  in_[0] = start;
  reached_.assign(n, false);
  reached_[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = 0; b < n; ++b) {
      if (!reached_[b]) continue;
      SlotState s = in_[b];
      for (std::uint32_t id = k_.blocks[b].first; id < ends_[b]; ++id) advance(s, id);
      for (const std::uint32_t to : successors(b)) {
        SlotState& next = in_[to];
        changed = changed || !reached_[to];
        reached_[to] = true;
        for (std::size_t v = 0; v < slots_.size(); ++v) {
          ValueFacts f = joined(next.facts[v], s.facts[v]);
          if (forced_[to][v] && f.shape != Shape::none) f = vector_facts();
          if (slots_[v].width < 4 && f.shape == Shape::affine) f = vector_facts();
          const bool dirty = next.dirty[v] || s.dirty[v];
          if (f == next.facts[v] && dirty == next.dirty[v]) continue;
          next.facts[v] = f;
          next.dirty[v] = dirty;
          changed = true;
        }
      }
    }
  }
}

/// Where a branch may divide the lanes, they meet at its post-dominator with whatever the ways
/// between have left in their registers.
bool KernelShapes::mark_meetings() {
  bool changed = false;
  for (std::uint32_t b = 0; b < k_.blocks.size(); ++b) {
    if (!reached_[b] || steps_[ends_[b] - 1].step != Step::branch) continue;
    SlotState s = in_[b];
    for (std::uint32_t id = k_.blocks[b].first; id + 1 < ends_[b]; ++id) advance(s, id);
    const ValueFacts p = facts_of(s, k_.code[ends_[b] - 1].guard);
    if (p.shape == Shape::uniform && !p.divides) continue;
    const std::uint32_t meet = k_.blocks[b].ipdom;
    if (meet == kNoBlock || meet >= k_.blocks.size()) continue;
    meeting_[meet] = true;
    std::vector<bool> seen(k_.blocks.size(), false);
    std::vector<std::uint32_t> todo = successors(b);
    while (!todo.empty()) {
      const std::uint32_t at = todo.back();
      todo.pop_back();
      if (at == meet || seen[at]) continue;
      seen[at] = true;
      for (const std::uint32_t next : successors(at)) todo.push_back(next);
      for (std::uint32_t id = k_.blocks[at].first; id < ends_[at]; ++id)
        for_writes(id, [&](std::uint32_t v) {
          changed = changed || !forced_[meet][v];
          forced_[meet][v] = true;
        });
    }
  }
  return changed;
}

bool KernelShapes::run() {
  if (k_.blocks.empty() || !classify()) return false;
  find_slots();
  find_live();
  forced_.assign(k_.blocks.size(), std::vector<bool>(slots_.size(), false));
  meeting_.assign(k_.blocks.size(), false);
  do {
    find_values();
  } while (mark_meetings());
  return true;
}

}  // namespace warpwright::simt
