// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/wait_loops.h"

#include <algorithm>
#include <map>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::uint32_t kMostInstructions = 200;  ///< of a loop that only asks

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

bool is_strong_load(const Lir& l) {
  return l.info.opcode == Opcode::load && (l.aux & kStrongAccess) != 0;
}

class LoopFinder {
 public:
  LoopFinder(const LoweredKernel& k, const FlowGraph& g) : k_(k), g_(g), before_(g.blocks.size()) {
    for (std::uint32_t b = 0; b < g.blocks.size(); ++b)
      for (const std::uint32_t s : g.blocks[b].successors)
        if (s < g.blocks.size()) before_[s].push_back(b);
  }

  WaitLoops run() {
    WaitLoops found;
    found.head_of.assign(g_.blocks.size(), 0);
    found.behind.assign(g_.blocks.size(), false);
    std::map<std::uint32_t, std::vector<std::uint32_t>> ends;  // of one head
    for (std::uint32_t b = 0; b < g_.blocks.size(); ++b)
      for (const std::uint32_t s : g_.blocks[b].successors)
        if (s <= b) ends[s].push_back(b);
    for (const auto& [head, lasts] : ends) {
      std::vector<bool> body = body_of(head, lasts);
      if (body.empty() || !only_asks(body) || !leaves_answers_only(head, body)) continue;
      add(head, body, found);
    }
    return found;
  }

 private:
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

  /// atomicCAS of the same values in every turn, atomicAdd(p, 0), atomicOr(p, 0).
  bool is_question(const Lir& l) const {
    const std::string_view text = l.info.text;
    if (l.info.opcode != Opcode::atomic || l.d == kNoVal) return false;
    if (text.find(".cas") != std::string_view::npos) return true;
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

  /// Whether code behind the loop can use nothing of it but what its last turn was told: else turns
  /// could do a kernel's work and count as waiting.
  bool leaves_answers_only(std::uint32_t head, const std::vector<bool>& body) const {
    if (has_inner_loop(head, body)) return false;
    std::vector<std::uint32_t> writes(k_.registers.size(), 0);
    for_code(body, [&](const Lir& l) { for_written(l, [&](Val v) { ++writes[v]; }); });
    std::vector<bool> answers(k_.registers.size(), false);
    const FlowBlock& first = g_.blocks[head];
    for (std::uint32_t i = first.first; i < first.last; ++i) {
      const Lir& l = k_.code[i];
      bool told = l.guard == kNoVal;
      for_read(l, [&](Val v) { told = told && (writes[v] == 0 || answers[v]); });
      for_written(l, [&](Val v) { answers[v] = told && writes[v] == 1; });
    }
    bool fine = true;
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (body[b]) continue;
      for (std::uint32_t i = g_.blocks[b].first; i < g_.blocks[b].last; ++i)
        for_read(k_.code[i], [&](Val v) { fine = fine && (writes[v] == 0 || answers[v]); });
    }
    return fine;
  }

  bool has_inner_loop(std::uint32_t head, const std::vector<bool>& body) const {
    for (std::uint32_t b = 0; b < body.size(); ++b) {
      if (!body[b]) continue;
      for (const std::uint32_t s : g_.blocks[b].successors)
        if (s <= b && s != head && s < body.size() && body[s]) return true;
    }
    return false;
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
    });
    found.loops.push_back(std::move(loop));
    found.head_of[head] = static_cast<std::uint32_t>(found.loops.size());
  }

  const LoweredKernel& k_;
  const FlowGraph& g_;
  std::vector<std::vector<std::uint32_t>> before_;
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
