// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/guesses.h"

#include <algorithm>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

bool is_swap(const Lir& l) {
  return l.info.op_class == OpClass::atomic && l.info.text.find(".cas") != std::string_view::npos;
}

bool is_register(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

/// An address as a register that is computed otherwise, and a number of bytes behind it.
struct Spot {
  Val base = kNoVal;
  std::int64_t offset = 0;
  bool operator==(const Spot&) const = default;
};

constexpr std::uint32_t kNowhere = 0xffffffffu, kSeveral = 0xfffffffeu;
constexpr int kMostSteps = 64;  ///< of an address, back to where it comes from

class Uses {
 public:
  explicit Uses(const LoweredKernel& k)
      : k_(k), readers_(k.registers.size()), written_at_(k.registers.size(), kNowhere) {
    for (std::uint32_t i = 0; i < k.code.size(); ++i) {
      const Lir& l = k.code[i];
      write(l.d, i);
      for (std::uint32_t m = 0; m < l.more_defs; ++m) write(l.more[m], i);
      for (const Val v : {l.a, l.b, l.c}) note(v, i);
      for (std::size_t m = l.more_defs; m < l.more.size(); ++m) note(l.more[m], i);
      if (l.guard != kNoVal) note(l.guard, i);
    }
  }

  [[nodiscard]] bool only_guessed(const Lir& load) {
    seen_.assign(readers_.size(), false);
    std::vector<Val> open;
    reach(load.d, open);
    bool swapped = false;
    const Spot read_at = spot(load);
    while (!open.empty()) {
      const Val v = open.back();
      open.pop_back();
      for (const std::uint32_t i : readers_[v]) {
        const Lir& l = k_.code[i];
        if (is_swap(l)) {
          if (l.a == v) return false;
          swapped = swapped || spot(l) == read_at;
        } else if (l.flow == Lir::Flow::branch || l.flow == Lir::Flow::jump) {
          continue;
        } else if (l.flow != Lir::Flow::next || !computes(l)) {
          return false;
        } else {
          reach(l.d, open);
          for (std::uint32_t m = 0; m < l.more_defs; ++m) reach(l.more[m], open);
        }
      }
    }
    return swapped;
  }

 private:
  void write(Val v, std::uint32_t at) {
    if (is_register(v)) written_at_[v] = written_at_[v] == kNowhere ? at : kSeveral;
  }

  [[nodiscard]] bool constant(Val v, std::int64_t& value) const {
    if (v == kNoVal || is_register(v)) return false;
    const Constant& c = k_.kernel.constants[v & ~kConstantBit];
    value = static_cast<std::int64_t>(c.value);
    return c.kind == Constant::Kind::bits && c.width == 8;
  }

  /// Compilers copy addresses, move them to a space and add constants on either side of a loop.
  [[nodiscard]] Spot spot(const Lir& access) const {
    Spot s{access.a, access.imm};
    for (int step = 0; step < kMostSteps && is_register(s.base); ++step) {
      const std::uint32_t at = written_at_[s.base];
      if (at == kNowhere || at == kSeveral) break;
      const Lir& l = k_.code[at];
      if (l.guard != kNoVal || l.info.row == nullptr) break;
      const ShapeRule rule = l.info.row->native.rule;
      std::int64_t more = 0;
      if (rule == ShapeRule::move && l.a != kNoVal && k_.registers[l.d] == 8) {
        s.base = l.a;
      } else if (rule == ShapeRule::add && k_.registers[l.d] == 8 && constant(l.b, more)) {
        s = {l.a, s.offset + more};
      } else if (rule == ShapeRule::add && k_.registers[l.d] == 8 && constant(l.a, more)) {
        s = {l.b, s.offset + more};
      } else {
        break;
      }
    }
    return s;
  }

  void note(Val v, std::uint32_t at) {
    if (is_register(v)) readers_[v].push_back(at);
  }
  void reach(Val v, std::vector<Val>& open) {
    if (!is_register(v) || seen_[v]) return;
    seen_[v] = true;
    open.push_back(v);
  }
  static bool computes(const Lir& l) {
    switch (l.info.op_class) {
      case OpClass::integer:
      case OpClass::move:
      case OpClass::convert:
      case OpClass::fp32:
      case OpClass::fp64:
      case OpClass::fp16:
      case OpClass::special:
      case OpClass::math:
      case OpClass::control:
        return l.d != kNoVal || l.more_defs != 0 || l.ghost || l.info.op_class == OpClass::control;
      default:
        return false;
    }
  }

  const LoweredKernel& k_;
  std::vector<std::vector<std::uint32_t>> readers_;
  std::vector<std::uint32_t> written_at_;  ///< by register: the instruction that does
  std::vector<bool> seen_;
};

}  // namespace

void mark_guesses(LoweredKernel& k) {
  if (std::none_of(k.code.begin(), k.code.end(), is_swap)) return;
  Uses uses(k);
  for (Lir& l : k.code) {
    const OpClass c = l.info.op_class;
    if ((c != OpClass::load_global && c != OpClass::load_shared) || l.more_defs != 0) continue;
    if (uses.only_guessed(l)) l.aux |= kGuess;
  }
}

}  // namespace warpwright::simt
