// SPDX-License-Identifier: Apache-2.0
// Places registers and writes the final code.
#include <algorithm>
#include <map>
#include <numeric>

#include "ptx/limits.h"
#include "simt/lower/chains.h"
#include "simt/lower/data_reads.h"
#include "simt/lower/definedness.h"
#include "simt/lower/extents.h"
#include "simt/lower/flow.h"
#include "simt/lower/guesses.h"
#include "simt/lower/lowering.h"
#include "simt/lower/repeats.h"
#include "simt/lower/wait_loops.h"
#include "simt/lower/write_origins.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::uint32_t kSlotAlign = 64;

std::uint32_t slot_bytes(std::uint8_t width) { return width == 0 ? 4 : width * kLanes; }

/// Linear scan over live ranges: registers of one width share slots when their ranges are apart.
class Placement {
 public:
  Placement(const LoweredKernel& k, std::vector<LiveRange> ranges)
      : k_(k), ranges_(std::move(ranges)), refs_(k.registers.size(), 0) {}

  void run() {
    pin_specials();
    std::vector<Val> order(k_.registers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Val a, Val b) { return ranges_[a].first < ranges_[b].first; });
    for (const Val v : order) {
      if (ranges_[v].first > ranges_[v].last) {
        // Written by something that nobody reads, or not used at all: still needs a place.
        ranges_[v].last = ranges_[v].first;
      }
      place(v);
    }
  }

  [[nodiscard]] Ref ref(Val v) const { return refs_[v]; }
  [[nodiscard]] std::uint32_t bytes() const { return next_; }
  [[nodiscard]] std::vector<std::pair<Ref, std::uint8_t>> places() const {
    std::map<Ref, std::uint8_t> all;
    for (std::size_t v = 0; v < refs_.size(); ++v) all[refs_[v]] = k_.registers[v];
    return {all.begin(), all.end()};
  }
  [[nodiscard]] std::uint32_t peak_words() const { return peak_; }

 private:
  auto later() {
    return [this](Val a, Val b) { return ranges_[a].last > ranges_[b].last; };
  }

  void pin_specials() {
    for (const Val v : k_.pinned) ranges_[v] = {0, 0xfffffffeu};
    for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s)
      if (k_.kernel.uses_lane_special[s]) ranges_[k_.kernel.lane_special_ref[s]] = {0, 0xfffffffeu};
  }

  void place(Val v) {
    const std::uint8_t width = k_.registers[v];
    expire(ranges_[v].first);
    std::vector<Ref>& free = free_[width];
    if (!free.empty()) {
      refs_[v] = free.back();
      free.pop_back();
    } else {
      // Predicates are single words; gather sixteen to a line so that slots stay aligned.
      if (width == 0) {
        const std::uint32_t line = take(kSlotAlign);
        for (std::uint32_t i = 15; i > 0; --i) free.push_back(line + 4 * i);
        refs_[v] = line;
      } else {
        refs_[v] = take(slot_bytes(width));
      }
    }
    active_.push_back(v);
    std::push_heap(active_.begin(), active_.end(), later());
    words_ += width / 4u + (width == 2 ? 1 : 0);
    peak_ = std::max(peak_, words_);
  }

  void expire(std::uint32_t now) {
    while (!active_.empty() && ranges_[active_.front()].last < now) {
      const Val v = active_.front();
      std::pop_heap(active_.begin(), active_.end(), later());
      active_.pop_back();
      free_[k_.registers[v]].push_back(refs_[v]);
      words_ -= k_.registers[v] / 4u + (k_.registers[v] == 2 ? 1 : 0);
    }
  }

  std::uint32_t take(std::uint32_t bytes) {
    const std::uint32_t at = next_;
    next_ += bytes;
    return at;
  }

  const LoweredKernel& k_;
  std::vector<LiveRange> ranges_;
  std::vector<Ref> refs_;
  std::vector<Ref> free_[9];
  std::vector<Val> active_;
  std::uint32_t next_ = 0, words_ = 0, peak_ = 0;
};

bool is_move(const Lir& l) {
  const OpRow* row = l.info.row;
  return l.guard == kNoVal && row != nullptr && row->op_class == OpClass::move && row->args == 1 &&
         row->result.width == row->arg[0].width;
}

/// Copies of what never changes need no instruction: whoever reads the copy reads the original. The
/// kernel's counts keep them.
void forward_copies(LoweredKernel& k) {
  std::vector<std::uint32_t> writes(k.registers.size(), 0);
  const auto count = [&](Val v) {
    if (v != kNoVal && (v & kConstantBit) == 0) ++writes[v];
  };
  for (const Lir& l : k.code) {
    count(l.d);
    for (std::uint32_t i = 0; i < l.more_defs; ++i) count(l.more[i]);
  }
  std::vector<Val> same(k.registers.size(), kNoVal);
  const auto original = [&](Val v) {
    while (v != kNoVal && (v & kConstantBit) == 0 && same[v] != kNoVal) v = same[v];
    return v;
  };
  for (Lir& l : k.code) {
    if (!is_move(l) || writes[l.d] != 1) continue;
    const Val from = original(l.a);
    // A register that is written may hold another value by the time the copy is read, as in
    // "if (k > 0) use(previous); previous = current". Constants and tid never change.
    if ((from & kConstantBit) == 0 && writes[from] != 0) continue;
    same[l.d] = from;
    l.ghost = true;
  }
  for (Lir& l : k.code) {
    for (Val* v : {&l.a, &l.b, &l.c, &l.guard}) *v = original(*v);
    for (std::size_t i = l.more_defs; i < l.more.size(); ++i) l.more[i] = original(l.more[i]);
    if (l.ghost) {
      l.info.opcode = Opcode::nothing;
      l.run = run_nop;
      l.a = l.d = kNoVal;
    }
  }
}

void place_constants(Kernel& k) {
  std::uint32_t next = 0;
  for (Constant& c : k.constants) {
    c.ref = next | kConstantBit;
    next += std::max(slot_bytes(c.width), kSlotAlign);
  }
  k.constant_bytes = next;
}

/// Writes the code of one kernel.
class Emitter {
 public:
  Emitter(LoweredKernel& lowered, const FlowGraph& g, const Placement& p, const Definedness& d,
          const WaitLoops& w)
      : in_(lowered),
        g_(g),
        p_(p),
        defined_(d),
        waits_(w),
        chains_(find_chains(lowered, g)),
        k_(lowered.kernel) {}

  Status run(Ref always) {
    always_ = always;
    std::size_t lists = 0;
    for (const Lir& l : in_.code) lists += l.more.empty() ? 0 : 1;
    k_.more.reserve(lists);
    for (std::uint32_t b = 0; b < g_.blocks.size(); ++b) WW_CHECK(block(b));
    return {};
  }

 private:
  Status block(std::uint32_t b) {
    const FlowBlock& f = g_.blocks[b];
    BasicBlock out;
    out.first = static_cast<std::uint32_t>(k_.code.size());
    out.ipdom = f.ipdom;
    out.chain = chains_[b];
    if (!waits_.loops.empty()) waiting(b);
    for (std::uint32_t i = f.first; i < f.last; ++i) {
      const Lir& l = in_.code[i];
      if (l.ghost) {
        out.size += l.info.counted ? 1 : 0;
        continue;
      }
      if (defined_.count != 0) shadow(l);
      if (l.guard != kNoVal && l.flow == Lir::Flow::next && l.info.counted) tally(l);
      WW_CHECK(instruction(l, b));
      out.size += l.info.counted ? 1 : 0;
    }
    if (in_.code[f.last - 1].flow == Lir::Flow::next) fall_through(b + 1);
    // Behind the end of the block, where nobody gets: there to be counted with it.
    for (std::uint32_t i = f.first; i < f.last; ++i)
      if (in_.code[i].ghost && in_.code[i].info.counted) push(in_.code[i]);
    k_.blocks.push_back(out);
    return {};
  }

  Ref ref(Val v) const {
    if (v == kNoVal) return always_;
    if ((v & kConstantBit) != 0) return k_.constants[v & ~kConstantBit].ref;
    return p_.ref(v);
  }

  Ins& push(const Lir& l) {
    Ins i;
    i.run = l.run;
    i.d = ref(l.d);
    i.a = ref(l.a);
    i.b = ref(l.b);
    i.c = ref(l.c);
    i.guard = ref(l.guard);
    i.guard_flip = l.guard != kNoVal && l.guard_negated ? kAllLanes : 0;
    i.imm = l.imm;
    i.aux = l.aux;
    i.aux2 = l.aux2;
    i.id = static_cast<std::uint32_t>(k_.code.size());
    if (l.info.access >= 0) i.target = static_cast<std::uint32_t>(l.info.access);
    if (!l.more.empty()) {
      std::vector<Ref> refs;
      for (const Val v : l.more) refs.push_back(ref(v));
      k_.more.push_back(std::move(refs));
      i.more = k_.more.back().data();
    }
    k_.code.push_back(i);
    k_.info.push_back(l.info);
    k_.info.back().more = static_cast<std::uint16_t>(l.more.size());
    k_.info.back().more_defs = static_cast<std::uint16_t>(l.more_defs);
    return k_.code.back();
  }

  void tally(const Lir& l) {
    Lir t;
    t.run = run_tally;
    t.guard = l.guard;
    t.guard_negated = l.guard_negated;
    t.info = l.info;
    t.info.opcode = Opcode::tally;
    t.info.counted = false;
    t.info.access = -1;
    Ins& i = push(t);
    i.target = i.id + 1;
  }

  /// Behind one loop may be the head of another. A warp may be found here: it is where the block's
  /// first instruction is.
  void waiting(std::uint32_t b) {
    const FlowBlock& f = g_.blocks[b];
    const auto mark = [&](Opcode opcode, std::uint32_t target) {
      Lir l;
      if (f.first < f.last) {
        l.info.ptx_line = in_.code[f.first].info.ptx_line;
        l.info.source = in_.code[f.first].info.source;
      }
      l.info.opcode = opcode;
      l.run = handler_of(opcode);
      l.info.op_class = class_of(opcode);
      l.info.counted = false;
      push(l).target = target;
    };
    if (waits_.behind[b]) mark(Opcode::wait_over, 0);
    if (waits_.head_of[b] != 0) mark(Opcode::wait_turn, waits_.head_of[b] - 1);
  }

  void shadow(const Lir& l) {
    const ShadowStep step = shadow_step(defined_, l);
    if (!step.needed()) return;
    Lir s;
    // Branches are guarded by what they ask; everything else acts on the guard's lanes only.
    s.guard = l.flow == Lir::Flow::next ? l.guard : kNoVal;
    s.guard_negated = l.guard_negated;
    s.c = step.selects ? l.c : kNoVal;
    s.info = l.info;
    s.info.opcode = step.selects                            ? Opcode::shadow_select
                    : step.reports                          ? Opcode::shadow_report
                    : step.propagates && !step.read.empty() ? Opcode::shadow_spread
                                                            : Opcode::shadow_write;
    s.run = handler_of(s.info.opcode);
    s.info.counted = false;
    s.info.access = -1;
    s.imm = step.guard == kNoShadow ? std::int64_t{-1} : std::int64_t{step.guard};
    s.aux = static_cast<std::uint32_t>(step.read.size());
    s.aux2 = static_cast<std::uint32_t>(step.written.size());
    std::vector<Ref> words(step.read);
    words.insert(words.end(), step.written.begin(), step.written.end());
    k_.more.push_back(std::move(words));
    Ins& i = push(s);
    i.more = k_.more.back().data();
    i.target = step.only_strays ? 1 : 0;
  }

  void fall_through(std::uint32_t next) {
    Lir jump;
    jump.run = run_jump;
    jump.info.opcode = Opcode::jump;
    jump.info.counted = false;
    push(jump).target = next;
  }

  void become(Ins& i, Opcode opcode) {
    i.run = handler_of(opcode);
    k_.info[i.id].opcode = opcode;
  }

  Status instruction(const Lir& l, std::uint32_t b) {
    Ins& i = push(l);
    switch (l.flow) {
      case Lir::Flow::next:
        if (l.info.opcode == Opcode::shuffle && defined_.may_stray(l.d)) {
          i.target = 1 + defined_.of(l.d);
          i.imm = defined_.may_stray(l.a) ? std::int64_t{defined_.of(l.a)} : std::int64_t{-1};
        }
        break;
      case Lir::Flow::jump:
        i.target = g_.block_of_label[l.label];
        break;
      case Lir::Flow::branch:
        i.target = g_.block_of_label[l.label];
        i.aux = b + 1;
        i.aux2 = g_.blocks[b].ipdom;
        break;
      case Lir::Flow::exit:
        if (l.guard != kNoVal) become(i, Opcode::guarded_exit);
        i.aux = b + 1;
        break;
      case Lir::Flow::call: {
        std::vector<std::uint32_t> rows = l.table;
        for (std::size_t r = 0; r < rows.size(); r += 3) {
          rows[r + 1] = g_.block_of_label[rows[r + 1]];
          rows[r + 2] = g_.block_of_label[rows[r + 2]];
        }
        i.target = static_cast<std::uint32_t>(k_.jump_tables.size());
        i.aux = b + 1;
        k_.jump_tables.push_back(std::move(rows));
        break;
      }
      case Lir::Flow::give_back:
        i.aux = b;
        break;
      case Lir::Flow::table: {
        std::vector<std::uint32_t> blocks;
        for (const std::uint32_t label : l.table) blocks.push_back(g_.block_of_label[label]);
        i.target = static_cast<std::uint32_t>(k_.jump_tables.size());
        i.aux2 = g_.blocks[b].ipdom;
        k_.jump_tables.push_back(std::move(blocks));
        break;
      }
    }
    return {};
  }

  LoweredKernel& in_;
  const FlowGraph& g_;
  const Placement& p_;
  const Definedness& defined_;
  const WaitLoops& waits_;
  const std::vector<Chain> chains_;
  Kernel& k_;
  Ref always_ = 0;
};

}  // namespace

Result<Kernel> build_kernel(LoweredKernel&& lowered) {
  // The constant "true" guards everything unguarded.
  Constant always;
  always.width = 0;
  always.value = kAllLanes;
  lowered.kernel.constants.push_back(always);
  forward_copies(lowered);
  place_constants(lowered.kernel);
  mark_guesses(lowered);
  mark_data_reads(lowered);
  WriteOrigins writes = find_write_origins(lowered);
  lowered.kernel.knows_writes = writes.known;
  lowered.kernel.write_origins = std::move(writes.sites);
  lowered.kernel.extents = find_extents(lowered);
  const FlowGraph g = make_flow(lowered);
  const Definedness defined = find_undefined(lowered, g);
  lowered.kernel.shadow_words = defined.count;
  lowered.kernel.follows_strays = !defined.stray.empty();
  WW_TRY(std::vector<LiveRange> ranges, live_ranges(lowered, g));
  Placement placement(lowered, std::move(ranges));
  placement.run();
  Kernel& k = lowered.kernel;
  k.register_bytes = placement.bytes();
  k.places = placement.places();
  if (k.register_bytes >= (1u << 26))
    return Error{"kernel " + k.name + " needs too many registers"};
  k.registers = std::clamp(placement.peak_words() + 6, 16u, ptx::kLimits.registers_per_thread);
  for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s)
    if (k.uses_lane_special[s]) k.lane_special_ref[s] = placement.ref(k.lane_special_ref[s]);
  k.in_step = std::any_of(lowered.code.begin(), lowered.code.end(), [](const Lir& l) {
    return l.info.op_class == OpClass::tensor || l.info.opcode == Opcode::ldmatrix ||
           l.info.opcode == Opcode::stmatrix ||
           l.info.text.find("matrix") != std::string_view::npos ||
           l.info.text.find("mma") != std::string_view::npos;
  });
  const Ref true_ref = k.constants.back().ref;
  WaitLoops waits = find_wait_loops(lowered, g);
  WW_CHECK(Emitter(lowered, g, placement, defined, waits).run(true_ref));
  k.wait_loops = std::move(waits.loops);
  k.shares_work = waits.shares_work;
  mark_repeats(k);
  return std::move(k);
}

}  // namespace warpwright::simt
