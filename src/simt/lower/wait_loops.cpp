// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/wait_loops.h"

#include <algorithm>
#include <map>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::uint32_t kMostInstructions = 512;  ///< of a loop that only asks

bool holds_value(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

template <class Visit>
void for_written(const Lir& l, Visit visit) {
  if (holds_value(l.d)) visit(l.d);
  for (std::uint32_t m = 0; m < l.more_defs; ++m)
    if (holds_value(l.more[m])) visit(l.more[m]);
}

template <class Visit>
void for_read(const Lir& l, Visit visit) {
  for (const Val v : {l.a, l.b, l.c, l.guard})
    if (holds_value(v)) visit(v);
  for (std::size_t m = l.more_defs; m < l.more.size(); ++m)
    if (holds_value(l.more[m])) visit(l.more[m]);
}

bool computes_only(const Lir& l) {
  switch (l.info.op_class) {
    case OpClass::integer:
    case OpClass::move:
    case OpClass::convert:
    case OpClass::fp32:
    case OpClass::fp64:
    case OpClass::fp16:
    case OpClass::special:
    case OpClass::math:
    case OpClass::load_const:
      return true;
    default:
      return false;
  }
}

class LoopFinder {
 public:
  LoopFinder(const LoweredKernel& k, const FlowGraph& g) : k_(k), g_(g), before_(g.blocks.size()) {
    for (std::uint32_t b = 0; b < g.blocks.size(); ++b)
      for (const std::uint32_t s : g.blocks[b].successors)
        if (s < g.blocks.size()) before_[s].push_back(b);
    find_ends();
  }

  WaitLoops run() {
    WaitLoops found;
    found.head_of.assign(g_.blocks.size(), 0);
    found.behind.assign(g_.blocks.size(), false);
    for (const auto& [head, lasts] : ends_) {
      std::vector<bool> body = body_of(head, lasts);
      if (body.empty()) continue;
      found.shares_work = found.shares_work || takes_tickets(body);
      if (!only_asks(body) || !leaves_answers_only(head, body)) continue;
      add(head, body, found);
    }
    return found;
  }

 private:
  /// Edges back to a block on the way to their own, from the first block on. Compilers put a loop's
  /// test before its head, so that the order of the text says nothing.
  void find_ends() {
    if (g_.blocks.empty()) return;
    enum class Seen : std::uint8_t { no, on_the_way, done };
    std::vector<Seen> seen(g_.blocks.size(), Seen::no);
    std::vector<std::pair<std::uint32_t, std::size_t>> way = {{0, 0}};  // block, next successor
    seen[0] = Seen::on_the_way;
    while (!way.empty()) {
      auto& [b, next] = way.back();
      if (next == g_.blocks[b].successors.size()) {
        seen[b] = Seen::done;
        way.pop_back();
        continue;
      }
      const std::uint32_t s = g_.blocks[b].successors[next++];
      if (s >= g_.blocks.size()) continue;
      if (seen[s] == Seen::on_the_way) ends_[s].push_back(b);
      if (seen[s] != Seen::no) continue;
      seen[s] = Seen::on_the_way;
      way.emplace_back(s, 0);
    }
  }

  /// The blocks of the loop; none where it can be entered elsewhere than at its head.
  std::vector<bool> body_of(std::uint32_t head, const std::vector<std::uint32_t>& lasts) const {
    std::vector<bool> in(g_.blocks.size(), false);
    in[head] = true;
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t b) {
      if (in[b]) return;
      in[b] = true;
      open.push_back(b);
    };
    for (const std::uint32_t b : lasts) reach(b);
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (b == 0) return {};
      for (const std::uint32_t p : before_[b]) reach(p);
    }
    return in;
  }

  template <class Visit>
  void for_code(const std::vector<bool>& body, Visit visit) const {
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (!body[b]) continue;
      for (std::uint32_t i = g_.blocks[b].first; i < g_.blocks[b].last; ++i) visit(k_.code[i]);
    }
  }

  /// Registers that may hold another value in the next turn.
  std::vector<bool> changing(const std::vector<bool>& body) const {
    std::vector<std::uint32_t> writes(k_.registers.size(), 0);
    for_code(body, [&](const Lir& l) { for_written(l, [&](Val v) { ++writes[v]; }); });
    std::vector<bool> changes(k_.registers.size(), false);
    for (Val v = 0; v < changes.size(); ++v) changes[v] = writes[v] != 0;
    for (bool again = true; again;) {
      again = false;
      for_code(body, [&](const Lir& l) {
        if (!computes_only(l) || l.guard != kNoVal || !reads_fixed(l, changes)) return;
        for_written(l, [&](Val v) {
          if (!changes[v] || writes[v] != 1) return;
          changes[v] = false;
          again = true;
        });
      });
    }
    return changes;
  }

  static bool is_fixed(Val v, const std::vector<bool>& changes) {
    return !holds_value(v) || !changes[v];
  }
  static bool reads_fixed(const Lir& l, const std::vector<bool>& changes) {
    bool fixed = is_fixed(l.a, changes) && is_fixed(l.b, changes) && is_fixed(l.c, changes);
    for (std::size_t m = l.more_defs; m < l.more.size(); ++m)
      fixed = fixed && is_fixed(l.more[m], changes);
    return fixed;
  }

  bool is_zero(Val v) const {
    if (v == kNoVal || holds_value(v)) return false;
    const Constant& c = k_.kernel.constants[v & ~kConstantBit];
    return c.kind == Constant::Kind::bits && c.value == 0;
  }

  static bool is_exchange(const Lir& l) {
    return l.info.opcode == Opcode::atomic && l.info.text.find(".exch") != std::string_view::npos;
  }

  /// atomicCAS and atomicExch with the same values in every turn, atomicAdd(p, 0), atomicOr(p, 0).
  bool is_question(const Lir& l) const {
    const std::string_view text = l.info.text;
    if (l.info.opcode != Opcode::atomic || l.d == kNoVal) return false;
    if (text.find(".cas") != std::string_view::npos) return true;
    if (is_exchange(l)) return true;
    const bool harmless =
        text.find(".add") != std::string_view::npos || text.find(".or") != std::string_view::npos;
    return harmless && (is_zero(l.b) || (l.more.size() == 1 && is_zero(l.more[0])));
  }

  bool only_asks(const std::vector<bool>& body) const {
    const std::vector<bool> changes = changing(body);
    std::uint32_t asks = 0, size = 0;
    bool fine = true;
    for_code(body, [&](const Lir& l) {
      ++size;
      if (is_strong_load(l) || l.info.opcode == Opcode::mbarrier_test) {
        fine = fine && is_fixed(l.a, changes);
        ++asks;
      } else if (is_question(l)) {
        fine = fine && reads_fixed(l, changes);
        ++asks;
      } else {
        fine = fine && is_harmless(l);
      }
    });
    return fine && asks != 0 && size <= kMostInstructions;
  }

  /// Whether code behind the loop can use nothing of it but what its turns were told: else turns
  /// could do a kernel's work and count as waiting. Answers may be kept from turn to turn; what is
  /// computed from its own earlier value, such as a sum, may not.
  bool leaves_answers_only(std::uint32_t head, const std::vector<bool>& body) const {
    if (has_inner_loop(head, body)) return false;
    const std::vector<bool> work = carried_work(body);
    bool fine = true;
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (body[b]) continue;
      for (std::uint32_t i = g_.blocks[b].first; i < g_.blocks[b].last; ++i)
        for_read(k_.code[i], [&](Val v) { fine = fine && !work[v]; });
    }
    return fine;
  }

  /// One register's value goes into another's, as it is or by a computation.
  struct Edge {
    Val from = 0, to = 0;
    bool computes = false;
  };

  static bool is_copy(const Lir& l) {
    return l.info.op_class == OpClass::move && l.b == kNoVal && l.c == kNoVal && l.more.empty();
  }

  std::vector<Edge> edges_of(const std::vector<bool>& body) const {
    std::vector<Edge> edges;
    for_code(body, [&](const Lir& l) {
      // What somebody else says depends on nothing of this warp.
      if (is_strong_load(l) || is_question(l) || l.info.opcode == Opcode::mbarrier_test) return;
      const bool computes = !is_copy(l);
      for_written(l, [&](Val to) {
        for_read(l, [&](Val from) { edges.push_back({from, to, computes}); });
      });
    });
    return edges;
  }

  /// Everything that the given registers go into.
  std::vector<bool> reached(const std::vector<Edge>& edges, std::vector<bool> from) const {
    for (bool again = true; again;) {
      again = false;
      for (const Edge& e : edges) {
        if (!from[e.from] || from[e.to]) continue;
        from[e.to] = true;
        again = true;
      }
    }
    return from;
  }

  /// Registers that hold what was computed from themselves in an earlier turn, or from such ones.
  std::vector<bool> carried_work(const std::vector<bool>& body) const {
    const std::vector<Edge> edges = edges_of(body);
    std::vector<bool> work(k_.registers.size(), false);
    for (const Edge& e : edges) {
      if (!e.computes || work[e.to]) continue;
      std::vector<bool> from(k_.registers.size(), false);
      from[e.to] = true;
      if (reached(edges, std::move(from))[e.from]) work[e.to] = true;
    }
    return reached(edges, std::move(work));
  }

  /// Whether the loop goes on for as long as a counter that all blocks add to says: its turns are
  /// pieces of work, which go to whoever comes first.
  bool takes_tickets(const std::vector<bool>& body) const {
    const std::vector<bool> changes = changing(body);
    std::vector<bool> ticket(k_.registers.size(), false);
    bool any = false;
    for_code(body, [&](const Lir& l) {
      if (l.info.opcode != Opcode::atomic || l.d == kNoVal || is_question(l)) return;
      const bool adds = l.info.text.find(".add") != std::string_view::npos ||
                        l.info.text.find(".inc") != std::string_view::npos;
      if (!adds || l.info.form.space == Space::shared || !is_fixed(l.a, changes)) return;
      if (holds_value(l.d)) ticket[l.d] = any = true;
    });
    if (!any) return false;
    spread_tickets(body, ticket);
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (!body[b] || !leaves(b, body)) continue;
      bool decides = false;
      for_read(k_.code[g_.blocks[b].last - 1], [&](Val v) { decides = decides || ticket[v]; });
      if (decides) return true;
    }
    return false;
  }

  bool leaves(std::uint32_t block, const std::vector<bool>& body) const {
    const FlowBlock& b = g_.blocks[block];
    if (b.first == b.last) return false;
    return b.exits || std::any_of(b.successors.begin(), b.successors.end(),
                                  [&](std::uint32_t s) { return s >= body.size() || !body[s]; });
  }

  /// To all that is computed from them in the loop, also by way of shared memory.
  void spread_tickets(const std::vector<bool>& body, std::vector<bool>& ticket) const {
    bool in_shared = false;
    for (bool again = true; again;) {
      again = false;
      for_code(body, [&](const Lir& l) {
        bool reads = in_shared && l.info.op_class == OpClass::load_shared;
        for_read(l, [&](Val v) { reads = reads || ticket[v]; });
        if (!reads) return;
        if (l.info.op_class == OpClass::store_shared && !in_shared) in_shared = again = true;
        if (!computes_only(l) && l.info.op_class != OpClass::warp &&
            l.info.op_class != OpClass::load_shared)
          return;
        for_written(l, [&](Val v) {
          again = again || !ticket[v];
          ticket[v] = true;
        });
      });
    }
  }

  bool has_inner_loop(std::uint32_t head, const std::vector<bool>& body) const {
    return std::any_of(ends_.begin(), ends_.end(), [&](const auto& loop) {
      return loop.first != head && body[loop.first] &&
             std::any_of(loop.second.begin(), loop.second.end(),
                         [&](std::uint32_t b) { return body[b]; });
    });
  }

  static bool is_harmless(const Lir& l) {
    if (computes_only(l) || l.info.op_class == OpClass::warp) return true;
    const Opcode o = l.info.opcode;
    return o == Opcode::yield || o == Opcode::fence || o == Opcode::nothing || o == Opcode::jump ||
           o == Opcode::branch || o == Opcode::clock32 || o == Opcode::clock64 ||
           o == Opcode::clock_high || l.flow == Lir::Flow::branch || l.flow == Lir::Flow::jump;
  }

  void add(std::uint32_t head, const std::vector<bool>& body, WaitLoops& found) const {
    WaitLoop loop;
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (!body[b]) continue;
      loop.blocks.push_back(b);
      for (const std::uint32_t s : g_.blocks[b].successors)
        if (s < body.size() && !body[s]) found.behind[s] = true;
    }
    for_code(body, [&](const Lir& l) {
      const bool shared =
          l.info.opcode == Opcode::mbarrier_test || l.info.form.space == Space::shared;
      if ((is_strong_load(l) || is_question(l)) && !shared) loop.for_blocks = true;
      if (is_question(l) && is_exchange(l)) loop.writes = true;
    });
    found.loops.push_back(std::move(loop));
    found.head_of[head] = static_cast<std::uint32_t>(found.loops.size());
  }

  const LoweredKernel& k_;
  const FlowGraph& g_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> ends_;  ///< of loops, by head
};

}  // namespace

WaitLoops find_wait_loops(const LoweredKernel& k, const FlowGraph& g) {
  const bool asks = std::any_of(k.code.begin(), k.code.end(), [](const Lir& l) {
    return is_strong_load(l) || l.info.opcode == Opcode::mbarrier_test ||
           l.info.opcode == Opcode::atomic;
  });
  if (!asks) return {};
  return LoopFinder(k, g).run();
}

}  // namespace warpwright::simt
