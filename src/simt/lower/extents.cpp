// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/extents.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// What a register holds: nothing yet, a number, an address in one variable, or anything.
struct Held {
  enum class Kind : std::uint8_t { nothing, number, address, anything };
  Kind kind = Kind::nothing;
  std::uint32_t variable = 0;
  bool operator==(const Held&) const = default;
};
using Kind = Held::Kind;

Held merged(const Held& a, const Held& b) {
  if (a.kind == Kind::nothing || a == b) return b;
  if (b.kind == Kind::nothing) return a;
  return {Kind::anything};
}

/// An address and numbers give an address in the same variable.
Held moved(const Held& address, std::initializer_list<Held> numbers) {
  for (const Held& n : numbers) {
    if (n.kind == Kind::nothing) return {};
    if (n.kind != Kind::number) return {Kind::anything};
  }
  return address;
}

bool is_address(const Held& h) { return h.kind == Kind::address; }

class Finder {
 public:
  explicit Finder(const LoweredKernel& k) : k_(k), held_(k.registers.size()) {}

  std::vector<Extent> run() {
    std::vector<Extent> all(k_.kernel.accesses);
    if (k_.kernel.variables.empty()) return all;
    for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s)
      if (k_.kernel.uses_lane_special[s]) held_[k_.kernel.lane_special_ref[s]] = {Kind::number};
    // Each register can change three times at most.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Lir& l : k_.code) changed = step(l) || changed;
    }
    for (const Lir& l : k_.code) {
      if (l.info.access < 0 || !has_address(l)) continue;
      const Held at = of(l.a);
      if (is_address(at))
        all[static_cast<std::size_t>(l.info.access)] = k_.kernel.variables[at.variable];
    }
    return all;
  }

 private:
  static bool has_address(const Lir& l) {
    return l.info.opcode == Opcode::load || l.info.opcode == Opcode::store ||
           l.info.opcode == Opcode::atomic;
  }

  Held of(Val v) const {
    if (v == kNoVal) return {Kind::number};
    if ((v & kConstantBit) == 0) return held_[v];
    const Constant& c = k_.kernel.constants[v & ~kConstantBit];
    if (c.kind == Constant::Kind::bits && c.symbol != 0) return {Kind::address, c.symbol - 1};
    const bool pointer = c.kind == Constant::Kind::global ||
                         c.kind == Constant::Kind::dynamic_shared ||
                         (c.kind == Constant::Kind::param && c.extent == 8);
    return {pointer ? Kind::anything : Kind::number};
  }

  bool put(Val v, const Held& what) {
    if (v == kNoVal || (v & kConstantBit) != 0 || k_.registers[v] == 0) return false;
    const Held now = merged(held_[v], what);
    if (now == held_[v]) return false;
    held_[v] = now;
    return true;
  }

  bool step(const Lir& l) {
    // Registers come back from the stack as they were.
    if (l.info.opcode == Opcode::frame_restore) return false;
    bool changed = put(l.d, result(l));
    for (std::uint32_t m = 0; m < l.more_defs; ++m)
      changed = put(l.more[m], from_elsewhere(l.more[m])) || changed;
    return changed;
  }

  /// What comes from memory may be a pointer if it is wide enough.
  Held from_elsewhere(Val v) const {
    const bool narrow = v == kNoVal || (v & kConstantBit) != 0 || k_.registers[v] < 8;
    return {narrow ? Kind::number : Kind::anything};
  }

  Held result(const Lir& l) const {
    if (l.info.op_class == OpClass::warp && of(l.a).kind != Kind::number) return {Kind::anything};
    if (l.info.opcode == Opcode::mapa) return {Kind::anything};
    if (l.info.opcode != Opcode::arithmetic || l.info.row == nullptr) return from_elsewhere(l.d);
    const Held a = of(l.a), b = of(l.b), c = of(l.c);
    switch (l.info.row->native.rule) {
      case ShapeRule::move:
      case ShapeRule::widen_signed:
      case ShapeRule::widen_unsigned:
      case ShapeRule::narrow:
        return a;
      case ShapeRule::add:
      case ShapeRule::bit_and:
      case ShapeRule::bit_or:
        return is_address(b) ? moved(b, {a}) : is_address(a) ? moved(a, {b}) : number({a, b});
      case ShapeRule::sub:
        if (is_address(a) && a == b) return {Kind::number};
        return is_address(a) ? moved(a, {b}) : number({a, b});
      case ShapeRule::mad:
      case ShapeRule::wide_mad_signed:
      case ShapeRule::wide_mad_unsigned:
        return is_address(c) ? moved(c, {a, b}) : number({a, b, c});
      case ShapeRule::select:
        return merged(a, b);
      default:
        return plain(l);
    }
  }

  /// A number where all operands are; an address that is compared or hashed is one no more.
  static Held number(std::initializer_list<Held> all) {
    Held result{Kind::number};
    for (const Held& h : all) {
      if (h.kind == Kind::nothing) return {};
      if (h.kind != Kind::number) result = {Kind::anything};
    }
    return result;
  }

  Held plain(const Lir& l) const {
    const Held three = number({of(l.a), of(l.b), of(l.c)});
    if (three.kind != Kind::number) return three;
    for (std::size_t m = l.more_defs; m < l.more.size(); ++m)
      if (const Held h = number({of(l.more[m])}); h.kind != Kind::number) return h;
    return {Kind::number};
  }

  const LoweredKernel& k_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<Extent> find_extents(const LoweredKernel& k) { return Finder(k).run(); }

}  // namespace warpwright::simt
