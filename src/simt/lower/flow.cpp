// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/flow.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// Cooper, Harvey and Kennedy's "A Simple, Fast Dominance Algorithm", on the reversed graph with
/// one virtual exit.
class PostDominators {
 public:
  explicit PostDominators(FlowGraph& g)
      : g_(g), exit_(static_cast<std::uint32_t>(g.blocks.size())) {}

  void run() {
    order_blocks();
    idom_.assign(exit_ + 1, kNoBlock);
    idom_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t b : order_) changed = update(b) || changed;
    }
    for (std::uint32_t b = 0; b < exit_; ++b)
      g_.blocks[b].ipdom = idom_[b] == exit_ ? kNoBlock : idom_[b];
  }

 private:
  /// Reverse post-order from the exit over reversed edges, iteratively: graphs can be deep.
  void order_blocks() {
    std::vector<std::vector<std::uint32_t>> predecessors(exit_ + 1);
    for (std::uint32_t b = 0; b < exit_; ++b) {
      for (const std::uint32_t s : g_.blocks[b].successors) predecessors[s].push_back(b);
      if (g_.blocks[b].exits) predecessors[exit_].push_back(b);
    }
    number_.assign(exit_ + 1, kNoBlock);
    std::vector<bool> seen(exit_ + 1, false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit_, 0}};
    seen[exit_] = true;
    std::vector<std::uint32_t> post;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < predecessors[node].size()) {
        const std::uint32_t p = predecessors[node][next++];
        if (!seen[p]) {
          seen[p] = true;
          stack.emplace_back(p, 0);
        }
      } else {
        post.push_back(node);
        stack.pop_back();
      }
    }
    for (std::uint32_t i = 0; i < post.size(); ++i) number_[post[i]] = i;
    post.pop_back();
    order_.assign(post.rbegin(), post.rend());
  }

  bool update(std::uint32_t b) {
    std::uint32_t best = g_.blocks[b].exits ? exit_ : kNoBlock;
    for (const std::uint32_t s : g_.blocks[b].successors) {
      if (idom_[s] == kNoBlock) continue;
      best = best == kNoBlock ? s : meet(s, best);
    }
    if (best == idom_[b]) return false;
    idom_[b] = best;
    return true;
  }

  std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = idom_[a];
      while (number_[b] < number_[a]) b = idom_[b];
    }
    return a;
  }

  FlowGraph& g_;
  std::uint32_t exit_;
  std::vector<std::uint32_t> order_, number_, idom_;
};

template <class Visit>
void for_uses(const Lir& i, Visit visit) {
  for (const Val v : {i.a, i.b, i.c, i.guard}) visit(v);
  for (std::size_t k = i.more_defs; k < i.more.size(); ++k) visit(i.more[k]);
  // A guarded instruction keeps the old value in the lanes it leaves out.
  if (i.guard != kNoVal && i.flow == Lir::Flow::next) {
    visit(i.d);
    for (std::size_t k = 0; k < i.more_defs; ++k) visit(i.more[k]);
  }
}

template <class Visit>
void for_defs(const Lir& i, Visit visit) {
  visit(i.d);
  for (std::size_t k = 0; k < i.more_defs; ++k) visit(i.more[k]);
}

bool is_register(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

/// In one of the four sets below: 128 MiB. Calls that are expanded in place can double a kernel
/// with every line of text; those that people write need a thousandth of it.
constexpr std::size_t kMostSetWords = std::size_t{1} << 24;

/// Sets of registers, one per block.
class RegisterSets {
 public:
  RegisterSets(std::size_t blocks, std::size_t registers)
      : words_((registers + 63) / 64), bits_(blocks * words_) {}
  [[nodiscard]] std::uint64_t* of(std::size_t block) { return bits_.data() + block * words_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  static bool test(const std::uint64_t* set, Val v) { return (set[v / 64] >> (v % 64) & 1) != 0; }
  static void add(std::uint64_t* set, Val v) { set[v / 64] |= std::uint64_t{1} << (v % 64); }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

FlowGraph make_flow(const LoweredKernel& k) {
  FlowGraph g;
  const auto size = static_cast<std::uint32_t>(k.code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (const std::uint32_t at : k.labels)
    if (at < size) leader[at] = true;
  for (std::uint32_t i = 0; i < size; ++i)
    if (k.code[i].flow != Lir::Flow::next) leader[i + 1] = true;
  std::vector<std::uint32_t> block_at(size + 1, 0);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (leader[i]) {
      if (!g.blocks.empty()) g.blocks.back().last = i;
      FlowBlock b;
      b.first = i;
      g.blocks.push_back(b);
    }
    block_at[i] = static_cast<std::uint32_t>(g.blocks.size() - 1);
  }
  g.blocks.back().last = size;
  for (const std::uint32_t at : k.labels)
    g.block_of_label.push_back(at < size ? block_at[at] : kNoBlock);
  for (std::uint32_t b = 0; b < g.blocks.size(); ++b) {
    FlowBlock& block = g.blocks[b];
    const Lir& last = k.code[block.last - 1];
    const bool guarded_exit = last.flow == Lir::Flow::exit && last.guard != kNoVal;
    if (last.flow == Lir::Flow::next || last.flow == Lir::Flow::branch || guarded_exit ||
        last.flow == Lir::Flow::call)
      block.successors.push_back(b + 1);
    if (last.flow == Lir::Flow::branch || last.flow == Lir::Flow::jump)
      block.successors.push_back(g.block_of_label[last.label]);
    if (last.flow == Lir::Flow::table) {
      for (const std::uint32_t label : last.table)
        block.successors.push_back(g.block_of_label[label]);
    }
    block.exits = last.flow == Lir::Flow::exit || last.flow == Lir::Flow::give_back;
  }
  PostDominators(g).run();
  return g;
}

namespace {

/// What is alive where blocks begin and end.
struct Liveness {
  RegisterSets use, def, in, out;
  Liveness(std::size_t blocks, std::size_t n)
      : use(blocks, n), def(blocks, n), in(blocks, n), out(blocks, n) {}
};

void find_uses(const LoweredKernel& k, const FlowGraph& g, Liveness& l) {
  for (std::size_t b = 0; b < g.blocks.size(); ++b) {
    for (std::uint32_t i = g.blocks[b].first; i < g.blocks[b].last; ++i) {
      for_uses(k.code[i], [&](Val v) {
        if (is_register(v) && !RegisterSets::test(l.def.of(b), v))
          RegisterSets::add(l.use.of(b), v);
      });
      for_defs(k.code[i], [&](Val v) {
        if (is_register(v)) RegisterSets::add(l.def.of(b), v);
      });
    }
  }
}

Result<Liveness> liveness_of(const LoweredKernel& k, const FlowGraph& g) {
  const std::size_t n = k.registers.size();
  if ((n + 63) / 64 > kMostSetWords / g.blocks.size())
    return Error{"kernel " + k.kernel.name + " is too large: " + std::to_string(g.blocks.size()) +
                 " basic blocks with " + std::to_string(n) + " registers"};
  Liveness l(g.blocks.size(), n);
  find_uses(k, g, l);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = g.blocks.size(); b-- > 0;) {
      std::uint64_t* o = l.out.of(b);
      for (const std::uint32_t s : g.blocks[b].successors)
        for (std::size_t w = 0; w < l.in.words(); ++w) o[w] |= l.in.of(s)[w];
      for (std::size_t w = 0; w < l.in.words(); ++w) {
        const std::uint64_t now = l.use.of(b)[w] | (o[w] & ~l.def.of(b)[w]);
        changed = changed || now != l.in.of(b)[w];
        l.in.of(b)[w] = now;
      }
    }
  }
  return l;
}

}  // namespace

Result<std::vector<LiveRange>> live_ranges(const LoweredKernel& k, const FlowGraph& g) {
  const std::size_t n = k.registers.size();
  WW_TRY(Liveness live, liveness_of(k, g));
  std::vector<LiveRange> ranges(n);
  const auto touch = [&](Val v, std::uint32_t at) {
    if (!is_register(v)) return;
    ranges[v].first = std::min(ranges[v].first, at);
    ranges[v].last = std::max(ranges[v].last, at);
  };
  for (std::uint32_t i = 0; i < k.code.size(); ++i) {
    for_uses(k.code[i], [&](Val v) { touch(v, 2 * i); });
    for_defs(k.code[i], [&](Val v) { touch(v, 2 * i + 1); });
  }
  for (std::size_t b = 0; b < g.blocks.size(); ++b) {
    for (Val v = 0; v < n; ++v) {
      if (RegisterSets::test(live.in.of(b), v)) touch(v, 2 * g.blocks[b].first);
      if (RegisterSets::test(live.out.of(b), v)) touch(v, 2 * g.blocks[b].last - 1);
    }
  }
  return ranges;
}

Result<std::vector<std::vector<Val>>> live_behind(const LoweredKernel& k,
                                                  const std::vector<std::size_t>& instructions) {
  const FlowGraph g = make_flow(k);
  WW_TRY(Liveness live, liveness_of(k, g));
  std::vector<std::vector<Val>> all;
  for (const std::size_t at : instructions) {
    const auto after = std::partition_point(g.blocks.begin(), g.blocks.end(),
                                            [&](const FlowBlock& b) { return b.first <= at; });
    const auto b = static_cast<std::size_t>(after - g.blocks.begin() - 1);
    const std::uint64_t* out = live.out.of(b);
    std::vector<std::uint64_t> now(out, out + live.out.words());
    for (std::size_t i = g.blocks[b].last; i-- > at + 1;) {
      for_defs(k.code[i], [&](Val v) {
        if (is_register(v)) now[v / 64] &= ~(std::uint64_t{1} << (v % 64));
      });
      for_uses(k.code[i], [&](Val v) {
        if (is_register(v)) RegisterSets::add(now.data(), v);
      });
    }
    std::vector<Val>& values = all.emplace_back();
    for (Val v = 0; v < k.registers.size(); ++v)
      if (RegisterSets::test(now.data(), v)) values.push_back(v);
  }
  return all;
}

}  // namespace warpwright::simt
