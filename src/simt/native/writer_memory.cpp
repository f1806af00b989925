// SPDX-License-Identifier: Apache-2.0
// Loads and stores of compiled code. All lanes at one address or at neighbouring ones, in bounds,
// is done here; everything else is done, counted and reported by the interpreter's handler.
#include <algorithm>
#include <numeric>

#include "simt/checks/race_rules.h"
#include "simt/native/writer.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

std::string memory_type(const AccessForm& a) {
  return fmt::format("{}{}", a.is_load && a.is_signed ? "s" : "u", 8 * a.bytes);
}

std::string register_type(const AccessForm& a) { return fmt::format("u{}", 8 * a.register_bytes); }

/// Words at equal distances, as in a column of a tile in shared memory.
bool is_strided(const AccessForm& a, const ValueFacts& f) {
  return a.space == Space::shared && a.bytes == 4 && a.elements == 1 && a.register_bytes == 4 &&
         f.shape == Shape::affine && f.stride_known && f.stride > 4 && f.stride % 4 == 0 &&
         f.stride < 4096;
}

/// Whether an instruction between two accesses always leaves the compiled code.
bool leaves(Step step) {
  return step == Step::leaving || step == Step::suspend || step >= Step::branch;
}

}  // namespace

/// Accesses to shared memory with one base register: bounds and counts once for all of them.
void NativeWriter::find_groups(std::uint32_t b) {
  struct Open {
    Ref base;
    std::uint32_t bytes;
    std::uint32_t leader;
  };
  const bool full = variant_.checks == Checks::full;
  std::vector<Open> open;
  SlotState s = state_;
  for (std::uint32_t id = k_.blocks[b].first; id + 1 < shapes_.end_of(b); ++id) {
    const NativeStep& n = shapes_.steps()[id];
    const Ins& i = k_.code[id];
    if (leaves(n.step)) open.clear();
    // Reads are checked together at the first of them, so no write may come between.
    const bool writes = n.step == Step::call || (n.step == Step::access && !n.access->is_load);
    if (full && writes) open.clear();
    if (n.step == Step::access && n.access->space == Space::shared) {
      const ValueFacts f = shapes_.facts_of(s, i.a);
      const std::uint32_t bytes = n.access->bytes * n.access->elements;
      const bool simple =
          (f.shape == Shape::uniform && n.access->is_load) ||
          (f.shape == Shape::affine && f.stride_known && f.stride == std::int64_t{bytes}) ||
          is_strided(*n.access, f);
      bool found = false;
      for (const Open& o : open) {
        Group& g = groups_[o.leader];
        if (!simple || o.base != i.a || o.bytes != bytes || (i.imm - g.low) % bytes != 0) continue;
        g.low = std::min(g.low, i.imm);
        g.high = std::max(g.high, i.imm);
        g.members.push_back(id);
        group_of_[id] = o.leader;
        found = true;
        break;
      }
      if (simple && !found) {
        groups_[id] = {id, i.imm, i.imm, {id}};
        group_of_[id] = id;
        open.push_back({i.a, bytes, id});
      }
    }
    // A new value in a base register ends its groups.
    const auto written = [&](Ref r) {
      if ((r & kConstantBit) == 0) std::erase_if(open, [&](const Open& o) { return o.base == r; });
    };
    written(i.d);
    for (std::uint32_t m = 0; m < k_.info[id].more_defs; ++m) written(i.more[m]);
    shapes_.advance(s, id);
  }
}

/// With all checks: whether the loads of a group cover one piece of memory without a hole.
bool NativeWriter::covers(const Group& g, std::uint32_t bytes, std::uint32_t span) const {
  if (variant_.checks != Checks::full || bytes < 4) return false;
  if (!shapes_.steps()[g.leader].access->is_load) return false;
  std::vector<std::int64_t> offsets;
  for (const std::uint32_t id : g.members) offsets.push_back(k_.code[id].imm);
  std::sort(offsets.begin(), offsets.end());
  // Lanes of neighbouring rows must read the words that the check takes for theirs.
  for (std::size_t m = 1; m < offsets.size(); ++m)
    if (offsets[m] != offsets[m - 1] && offsets[m] != offsets[m - 1] + std::int64_t{span})
      return false;
  return true;
}

std::string NativeWriter::first_address(std::uint32_t id) const {
  const Ins& i = k_.code[id];
  return fmt::format("((u64){} + {:#x}ull)", scalar(i.a), static_cast<std::uint64_t>(i.imm));
}

void NativeWriter::slow_access(std::uint32_t id, const AccessForm& a) {
  const Ins& i = k_.code[id];
  const bool uniform = shapes_.result_of(state_, id).shape == Shape::uniform;
  const auto put = [&](Ref r) {
    if (const std::int32_t s = shapes_.slot_of(r);
        s >= 0 && state_.dirty[static_cast<std::size_t>(s)])
      spill(static_cast<std::uint32_t>(s));
  };
  put(i.a);
  if (!a.is_load && a.elements == 1) put(i.b);
  if (!a.is_load && a.elements > 1)
    for (std::uint32_t m = 0; m < a.elements; ++m) put(i.more[m]);
  line("n->one(w, {});", id);
  if (!a.is_load) return;
  for (std::uint32_t m = 0; m < a.elements; ++m) {
    const std::int32_t s = shapes_.slot_of(a.elements == 1 ? i.d : i.more[m]);
    if (s >= 0) reload(static_cast<std::uint32_t>(s), !uniform);
  }
}

void NativeWriter::load(std::uint32_t id, const AccessForm& a, const std::string& from,
                        bool uniform) {
  const Ins& i = k_.code[id];
  for (std::uint32_t m = 0; m < a.elements; ++m) {
    const std::int32_t d = shapes_.slot_of(a.elements == 1 ? i.d : i.more[m]);
    if (d < 0) continue;
    if (uniform)
      line("a{} = ({})LDS({}, {} + {});", d, register_type(a), memory_type(a), from, m * a.bytes);
    else if (a.elements == 1)
      line("v{} = CV(LDV({}, {}), {});", d, memory_type(a), from, register_type(a));
    else
      line("v{} = CV(LD{}({}, {}, {}), {});", d, a.elements, memory_type(a), from, m,
           register_type(a));
  }
}

void NativeWriter::store(std::uint32_t id, const AccessForm& a, const std::string& to) {
  const Ins& i = k_.code[id];
  const std::string type = memory_type(a);
  const auto value = [&](std::uint32_t m) {
    const Ref r = a.elements == 1 ? i.b : i.more[m];
    return fmt::format("CV({}, {})", vector(r, static_cast<std::uint8_t>(a.register_bytes)), type);
  };
  if (a.elements == 1)
    line("STV({}, {}, {});", type, to, value(0));
  else if (a.elements == 2)
    line("ST2({}, {}, {}, {});", type, to, value(0), value(1));
  else
    line("ST4({}, {}, {}, {}, {}, {});", type, to, value(0), value(1), value(2), value(3));
}

/// That `span` bytes of shared memory from `at` on are those that the instruction may touch.
std::string NativeWriter::inside(std::uint32_t id, std::string_view at, std::uint64_t span) const {
  const Extent& e = k_.extents[k_.code[id].target];
  if (e == Extent{}) return fmt::format("{0} < shn && {1} <= shn - {0}", at, span);
  if (span > e.high - e.low) return "0";
  return fmt::format("{} - {:#x}ull <= {:#x}ull", at, e.low, e.high - e.low - span);
}

void NativeWriter::shared_access(std::uint32_t id, const AccessForm& a, bool uniform) {
  const std::uint32_t bytes = a.bytes * a.elements;
  const ValueFacts f = facts(k_.code[id].a);
  const std::uint32_t step = is_strided(a, f) ? static_cast<std::uint32_t>(f.stride) : 0;
  const std::uint32_t span = uniform     ? bytes
                             : step != 0 ? step * (kLanes - 1) + bytes
                                         : bytes * kLanes;
  // Lanes in one bank wait for each other: as many as the distance and the banks have in common.
  if (step != 0) text_.passes[id] = std::gcd(step / 4, kLanes);
  const auto grouped = group_of_.find(id);
  if (grouped == group_of_.end()) {
    line("if (LIKELY(run && (at & {}) == 0 && {})) {{", bytes - 1, inside(id, "at", span));
    line("n->hits[{}] += 1;", id);
    text_.counted_by[id] = id;
  } else {
    const Group& g = groups_.at(grouped->second);
    if (g.leader == id) {
      line("{{ const u64 low = at + {:#x}ull;",
           static_cast<std::uint64_t>(g.low - k_.code[id].imm));
      line("ok{} = run && (low & {}) == 0 && {};", id, bytes - 1,
           inside(id, "low", static_cast<std::uint64_t>(g.high - g.low) + span));
      line("}}");
    }
    // Out of the way when it fails: no call among the accesses, so values stay in registers.
    if (g.leader == id) {
      if (step == 0 && covers(g, bytes, span))
        line("if (LIKELY(ok{0})) ok{0} = n->loads_clean(w, {0}, at + {1:#x}ull, {2}, {3});", id,
             static_cast<std::uint64_t>(g.low - k_.code[id].imm),
             static_cast<std::uint64_t>(g.high - g.low) + span, uniform ? 1 : 0);
      line("n->hits[{0}] += ok{0};", id);
      give_up(id, fmt::format("ok{}", id));
    }
    line("{{");
    text_.counted_by[id] = g.leader;
  }
  const bool together =
      grouped != group_of_.end() && step == 0 && covers(groups_.at(grouped->second), bytes, span);
  if (variant_.checks == Checks::full && !together) {
    // Most accesses are to words that nobody has written, or touched, since the last barrier.
    if (a.is_load && bytes % 4 == 0)
      line("if (UNLIKELY(!{}_loads_clean(w, at, {})))", step != 0 ? "spaced" : "run",
           step != 0 ? step / 4 : span / 4);
    else if (!a.is_load && bytes == 4 && step == 0)
      line("if (UNLIKELY(!stores_clean(w, {}, at)))", id);
    if (step != 0)
      line("n->check_strided(w, {}, at, {});", id, step);
    else
      line("n->check(w, {}, at, {});", id, span);
  }
  const std::int32_t d = shapes_.slot_of(k_.code[id].d);
  if (step != 0 && a.is_load && d >= 0)
    line("v{} = gather(sh + at, {});", d, step);
  else if (step != 0 && !a.is_load)
    line("scatter(sh + at, {}, {});", step, vector(k_.code[id].b, 4));
  else if (a.is_load)
    load(id, a, "(sh + at)", uniform);
  else
    store(id, a, "(sh + at)");
}

void NativeWriter::global_access(std::uint32_t id, const AccessForm& a, bool uniform, bool surely) {
  const std::uint32_t bytes = a.bytes * a.elements;
  const std::uint32_t span = uniform ? bytes : bytes * kLanes;
  const std::uint32_t row = k_.code[id].target;
  line("const char* const m = n->memos + {};", row * sizeof(AccessMemo));
  const std::string fine = fmt::format(
      "run && (at & {}) == 0 && at >= LDS(u64, m + LOW) && at < LDS(u64, m + HIGH) && "
      "{} <= LDS(u64, m + HIGH) - at{}",
      bytes - 1, span, a.is_load ? "" : " && !LDS(u8, m + READ_ONLY)");
  if (surely) {
    give_up(id, fine);
    line("{{");
  } else {
    line("if (LIKELY({})) {{", fine);
  }
  line("const u64 off = at - {:#x}ull;", kGlobalBase);
  text_.counted_by[id] = id;
  if (variant_.checks != Checks::off) {
    line("n->hits[{}] += 1; const u64 first = off >> 5, last = (off + {}) >> 5;", id, span - 1);
    line("*(u64a*)(n->stats + {}) += last - first + 1; touch(w, first, last, {});",
         row * sizeof(AccessStats) + offsetof(AccessStats, sectors), a.is_load ? 0 : 1);
  }
  if (variant_.checks == Checks::full) {
    if (a.is_load) line("if (UNLIKELY(!(LDS(u8, m + FULLY_VALID) & LDS(u8, m + QUIET))))");
    if (span % kLineBytes == 0)
      line("if (UNLIKELY(!lines_clean(w, m, off, {}, {})))", span, a.is_load ? 0 : 1);
    line("n->check_global(w, m, {}, at, {}, {}, {});", id, span, bytes, a.is_load ? 0 : 1);
  }
  // The next warp mostly goes on where this one ends.
  if (a.is_load && !uniform)
    for (std::uint32_t at = 0; at < span; at += 64)
      line("__builtin_prefetch(n->arena + off + {});", span + at);
  if (a.is_load)
    load(id, a, "(n->arena + off)", uniform);
  else
    store(id, a, "(n->arena + off)");
}

void NativeWriter::access(std::uint32_t id) {
  const Ins& i = k_.code[id];
  const AccessForm& a = *shapes_.steps()[id].access;
  const std::uint32_t bytes = a.bytes * a.elements;
  const ValueFacts f = facts(i.a);
  const bool narrow = (i.aux & kNarrowAddress) != 0;
  settle(i.a);
  if (!a.is_load) {
    if (a.elements == 1) settle(i.b);
    if (a.elements > 1)
      for (std::uint32_t m = 0; m < a.elements; ++m) settle(i.more[m]);
  }
  const auto done = [&] {
    if (!a.is_load) return;
    for (std::uint32_t m = 0; m < a.elements; ++m)
      if (const std::int32_t s = shapes_.slot_of(a.elements == 1 ? i.d : i.more[m]); s >= 0)
        raw_[static_cast<std::size_t>(s)] = false;
  };
  const bool uniform = f.shape == Shape::uniform;
  const bool odd = f.shape == Shape::affine && f.stride_known && f.stride != std::int64_t{bytes};
  // Many lanes at one address are the handler's business when they write.
  if ((uniform && !a.is_load) || (odd && !group_of_.contains(id)) || a.space == Space::local) {
    slow_access(id, a);
    return done();
  }
  text_.uniform[id] = uniform;
  line("{{");
  std::string run = "1", first = first_address(id);
  if (f.shape == Shape::affine) {
    if (!f.stride_known) run = fmt::format("{} == {}", stride(i.a), bytes);
    if (narrow) run += fmt::format(" && fits_u32({}, {})", scalar(i.a), stride(i.a));
  } else if (f.shape == Shape::vector) {
    const std::string v = vector(i.a, narrow ? 4 : 8);
    line("const u64x all = {};", narrow ? fmt::format("CV({}, u64)", v) : v);
    run = fmt::format("run_of(all, {})", bytes);
    first = fmt::format("(all[0] + {:#x}ull)", static_cast<std::uint64_t>(i.imm));
  }
  const bool surely = uniform || (f.shape == Shape::affine && f.stride_known);
  line("const int run = {}; const u64 at = {};", run, first);
  if (a.space == Space::shared)
    shared_access(id, a, uniform);
  else
    global_access(id, a, uniform, surely);
  if (!surely && !group_of_.contains(id)) {
    line("}} else {{");
    slow_access(id, a);
  }
  line("}} }}");
  done();
}

}  // namespace warpwright::simt
