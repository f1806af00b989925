// SPDX-License-Identifier: Apache-2.0
// Operands as values: registers, immediates, addresses, with the widths that instructions ask for.
#include <algorithm>
#include <bit>
#include <cstring>

#include "simt/lower/lowering.h"

namespace warpwright::simt {

Val Lowering::temporary(std::uint8_t width) {
  out_.registers.push_back(width);
  return static_cast<Val>(out_.registers.size() - 1);
}

std::uint8_t Lowering::width_of(Val v) const {
  if ((v & kConstantBit) != 0) return out_.kernel.constants[v & ~kConstantBit].width;
  return out_.registers[v];
}

Val Lowering::constant(Constant c) {
  std::vector<Val>& same = constant_index_[c.value * 31 + static_cast<std::uint64_t>(c.kind)];
  for (const Val v : same)
    if (out_.kernel.constants[v & ~kConstantBit] == c) return v;
  out_.kernel.constants.push_back(c);
  same.push_back(static_cast<Val>(out_.kernel.constants.size() - 1) | kConstantBit);
  return same.back();
}

Val Lowering::constant_bits(std::uint64_t bits, std::uint8_t width) {
  if (width == 2) bits &= 0xffff;
  if (width == 4) bits &= 0xffffffff;
  if (width == 0) bits = bits != 0 ? 0xffffffff : 0;
  Constant c;
  c.width = width;
  c.value = bits;
  return constant(c);
}

Val Lowering::lane_special(LaneSpecial s) {
  Val& v = specials_[static_cast<std::size_t>(s)];
  if (v == kNoVal) {
    v = temporary(4);
    out_.kernel.uses_lane_special[static_cast<std::size_t>(s)] = true;
    out_.kernel.lane_special_ref[static_cast<std::size_t>(s)] = v;
  }
  return v;
}

Result<Val> Lowering::adapt(Val v, ArgType type) {
  const std::uint8_t have = width_of(v);
  if (have == type.width) return v;
  if (have == 0 || type.width == 0)
    return error("a predicate where a number is needed, or the other way round");
  // Reading a wider register takes its low part; a narrower one is an error in PTX, but
  // compilers never write it, so extend.
  const std::string name = "cvt." + std::string(type.is_signed ? "s" : "u") +
                           std::to_string(8 * type.width) + "." +
                           std::string(type.is_signed ? "s" : "u") + std::to_string(8 * have);
  Dest d;
  d.val = temporary(type.width);
  WW_CHECK(emit_op(name, d, {v}));
  out_.code.back().info.counted = false;
  return d.val;
}

Status Lowering::settle(const Dest& d) {
  if (d.final == kNoVal || d.final == d.val) return {};
  WW_TRY(const Val adapted,
         adapt(d.val, {width_of(d.final), ArgType::Real::none, d.type.is_signed}));
  // adapt() wrote a fresh register by the last instruction: let it write the real one instead.
  (void)adapted;
  out_.code.back().d = d.final;
  return {};
}

Result<Dest> Lowering::dest(const Operand& o, ArgType type) {
  Dest d;
  d.type = type;
  if (o.kind == Operand::Kind::sink) {
    d.val = temporary(type.width);
    return d;
  }
  std::uint32_t width = 0;
  WW_TRY(d.final, plain_register(o, width));
  if ((width == 0) != (type.width == 0)) return error("a destination of the wrong kind");
  d.val = width == type.width ? d.final : temporary(type.width);
  return d;
}

Result<Val> Lowering::plain_register(const Operand& o, std::uint32_t& width) {
  const Symbol* s = o.kind == Operand::Kind::name ? find(o.name) : nullptr;
  if (s == nullptr || s->kind != Symbol::Kind::reg)
    return error("expected a register, got '" + std::string(o.name) + "'");
  width = s->width;
  return s->index;
}

Result<Val> Lowering::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::integer) return constant_bits(o.bits != 0 ? 1 : 0, 0);
  std::uint32_t width = 0;
  WW_TRY(Val v, plain_register(o, width));
  if (width != 0) return error("expected a predicate, got '" + std::string(o.name) + "'");
  if (!o.negated) return v;
  Dest d;
  d.val = temporary(0);
  const Statement* saved = at_;
  WW_CHECK(emit_op("not.pred", d, {v}));
  at_ = saved;
  out_.code.back().info.counted = false;
  return d.val;
}

Result<Val> Lowering::value(const Operand& o, ArgType type) {
  if (type.width == 0) return predicate(o);
  if (o.kind == Operand::Kind::integer) {
    if (type.real == ArgType::Real::single)
      return constant_bits(
          std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits))), 4);
    if (type.real == ArgType::Real::double_)
      return constant_bits(
          std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits))), 8);
    return constant_bits(o.bits, type.width);
  }
  if (o.kind == Operand::Kind::real) {
    const double x = o.single ? std::bit_cast<float>(static_cast<std::uint32_t>(o.bits))
                              : std::bit_cast<double>(o.bits);
    if (o.single && type.width == 4) return constant_bits(o.bits, 4);
    if (!o.single && type.width == 8) return constant_bits(o.bits, 8);
    if (type.real == ArgType::Real::single)
      return constant_bits(std::bit_cast<std::uint32_t>(static_cast<float>(x)), 4);
    if (type.real == ArgType::Real::double_)
      return constant_bits(std::bit_cast<std::uint64_t>(x), 8);
    return error("a floating-point constant where an integer is needed");
  }
  if (o.kind != Operand::Kind::name) return error("an operand of the wrong form");
  if (const Symbol* s = find(o.name); s != nullptr && s->kind == Symbol::Kind::reg)
    return adapt(s->index, type);
  bool found = false;
  WW_TRY(const Val v, special(o.name, found));
  if (found) return adapt(v, type);
  return symbol_value(o.name, 0, type);
}

Result<Val> Lowering::symbol_value(std::string_view name, std::int64_t addend, ArgType type) {
  Symbol symbol;
  if (const Symbol* s = find(name)) {
    symbol = *s;
  } else {
    if (!name.empty() && name[0] == '%')
      return error("not supported: special register or undeclared register '" + std::string(name) +
                   "'");
    WW_TRY(symbol, module_symbol(name));
  }
  Constant c;
  c.width = type.width;
  switch (symbol.kind) {
    case Symbol::Kind::shared:
    case Symbol::Kind::local:
      c.value = symbol.offset + static_cast<std::uint64_t>(addend);
      if (type.width == 4) c.value &= 0xffffffffu;
      c.symbol = symbol.index + 1;
      return constant(c);
    case Symbol::Kind::kernel_param:
      return constant_bits(symbol.offset + static_cast<std::uint64_t>(addend), type.width);
    case Symbol::Kind::frame: {
      Dest d;
      d.val = temporary(8);
      const std::uint64_t offset = symbol.offset + static_cast<std::uint64_t>(addend);
      WW_CHECK(emit_op("add.u64", d, {frame_, constant_bits(offset, 8)}));
      out_.code.back().info.counted = false;
      return adapt(d.val, type);
    }
    case Symbol::Kind::function:
      return constant_bits(function_address(symbol.index), type.width);
    case Symbol::Kind::dynamic_shared:
      c.kind = Constant::Kind::dynamic_shared;
      break;
    case Symbol::Kind::global:
      c.kind = Constant::Kind::global;
      c.symbol = symbol.index;
      break;
    default:
      return error("not supported: '" + std::string(name) + "' as a value");
  }
  c.value = static_cast<std::uint64_t>(addend);
  return constant(c);
}

Result<Lowering::Address> Lowering::address(const Operand& o) {
  if (o.kind != Operand::Kind::address) return error("expected an address");
  if (!o.list.empty()) return unsupported();
  Address a;
  if (!o.name.empty()) {
    if (const Symbol* s = find(o.name); s != nullptr && s->kind == Symbol::Kind::reg) {
      if (s->width < 4) return error("an address must be a 32- or 64-bit register");
      a.base = s->index;
      a.narrow = s->width == 4;
      a.offset = static_cast<std::int64_t>(o.bits);
      return a;
    }
    WW_TRY(a.base, symbol_value(o.name, static_cast<std::int64_t>(o.bits), {8}));
    return a;
  }
  a.base = constant_bits(o.bits, 8);
  return a;
}

}  // namespace warpwright::simt
