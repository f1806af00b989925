// SPDX-License-Identifier: Apache-2.0
// How the shape of a result follows from those of the operands.
#include <algorithm>

#include "simt/native/shapes.h"

namespace warpwright::simt {

ValueFacts uniform_facts(std::uint32_t zero_bits) {
  ValueFacts f;
  f.shape = Shape::uniform;
  f.stride_known = true;
  f.zero_bits = zero_bits;
  return f;
}

ValueFacts vector_facts() {
  ValueFacts f;
  f.shape = Shape::vector;
  return f;
}

ValueFacts joined(const ValueFacts& a, const ValueFacts& b) {
  if (a.shape == Shape::none) return b;
  if (b.shape == Shape::none) return a;
  ValueFacts f;
  f.shape = std::max(a.shape, b.shape);
  f.divides = a.divides || b.divides;
  f.zero_bits = std::min(a.zero_bits, b.zero_bits);
  f.stride_known = a.stride_known && b.stride_known && a.stride == b.stride;
  f.stride = f.stride_known ? a.stride : 0;
  if (f.shape == Shape::vector) {
    f.stride_known = false;
    f.stride = 0;
    f.zero_bits = 0;
  }
  return f;
}

namespace {

ValueFacts sum(const ValueFacts& a, const ValueFacts& b, bool minus) {
  if (a.shape == Shape::vector || b.shape == Shape::vector) return vector_facts();
  ValueFacts f = joined(a, b);
  f.stride_known = a.stride_known && b.stride_known;
  f.stride = f.stride_known ? (minus ? a.stride - b.stride : a.stride + b.stride) : 0;
  return f;
}

/// Times a value of which only the known part matters.
ValueFacts product(const ValueFacts& a, const ValueFacts& b, bool known, std::uint64_t factor) {
  if (a.shape == Shape::vector || b.shape == Shape::vector) return vector_facts();
  if (a.shape == Shape::affine && b.shape == Shape::affine) return vector_facts();
  const ValueFacts& lanes = a.shape == Shape::affine ? a : b;
  ValueFacts f = lanes;
  f.zero_bits = std::min(64u, a.zero_bits + b.zero_bits);
  if (f.shape == Shape::uniform) return f;
  f.stride_known = lanes.stride_known && known;
  f.stride = f.stride_known ? lanes.stride * static_cast<std::int64_t>(factor) : 0;
  return f;
}

}  // namespace

ValueFacts KernelShapes::operation_result(const SlotState& s, const Ins& i, const OpRow& op) const {
  const ValueFacts a = facts_of(s, i.a), b = facts_of(s, i.b), c = facts_of(s, i.c);
  bool known = false, known_a = false;
  const std::uint64_t factor = literal(i.b, known), left = literal(i.a, known_a);
  const auto times = [&] {
    return a.shape == Shape::affine || !known_a ? product(a, b, known, factor)
                                                : product(a, b, true, left);
  };
  const bool neighbours =
      a.shape == Shape::affine && a.stride_known && a.stride == 1 && a.zero_bits >= 5;
  bool all_uniform = true, divides = false;
  const ValueFacts* args[] = {&a, &b, &c};
  for (std::size_t k = 0; k < op.args && k < 3; ++k) {
    all_uniform = all_uniform && args[k]->shape == Shape::uniform;
    divides = divides || args[k]->divides;
  }
  for (std::size_t k = 3; k < op.args; ++k)
    all_uniform = all_uniform && facts_of(s, i.more[k - 3]).shape == Shape::uniform;
  ValueFacts plain = all_uniform ? uniform_facts(0) : vector_facts();
  plain.divides = divides && op.result.width == 0;
  using R = ShapeRule;
  switch (op.native.rule) {
    case R::move:
    case R::narrow:
      return a;
    case R::add:
      return sum(a, b, false);
    case R::sub:
      return sum(a, b, true);
    case R::mul:
    case R::wide_signed:
    case R::wide_unsigned:
      return times();
    case R::mad:
    case R::wide_mad_signed:
    case R::wide_mad_unsigned:
      return sum(times(), c, false);
    case R::widen_signed:
    case R::widen_unsigned:
      return a;
    case R::shl:
      if (known && factor < 64)
        return product(a, uniform_facts(factor), true, std::uint64_t{1} << factor);
      return plain;
    case R::shr:
      if (neighbours && known && factor >= 5) return uniform_facts(0);
      return plain;
    case R::bit_and:
      if (all_uniform) return uniform_facts(std::max(a.zero_bits, b.zero_bits));
      if (neighbours && known && (factor & 31) == 31) return a;
      if (neighbours && known && (factor & 31) == 0) return uniform_facts(5);
      return plain;
    case R::bit_or:
      if (all_uniform) return uniform_facts(std::min(a.zero_bits, b.zero_bits));
      if (neighbours && b.shape == Shape::uniform && b.zero_bits >= 5) return a;
      return plain;
    case R::compare:
    case R::equality:
      if (plain.shape == Shape::uniform || op.arg[0].width < 4) return plain;
      if ((a.shape == Shape::affine && b.shape == Shape::uniform) ||
          (a.shape == Shape::uniform && b.shape == Shape::affine)) {
        plain = uniform_facts(0);
        plain.divides = true;
      }
      return plain;
    case R::select:
      if (c.shape != Shape::uniform || a.shape == Shape::vector || b.shape == Shape::vector)
        return vector_facts();
      {
        ValueFacts f = joined(a, b);
        f.divides = false;
        return f;
      }
    case R::plain:
      break;
  }
  return plain;
}

ValueFacts KernelShapes::result_of(const SlotState& s, std::uint32_t id) const {
  const Ins& i = k_.code[id];
  const NativeStep& n = steps_[id];
  if (n.step == Step::operation) {
    ValueFacts f = operation_result(s, i, *n.op);
    // Narrow registers and predicates are uniform or 32 values, nothing between.
    if (f.shape == Shape::affine && n.op->result.width < 4) f = vector_facts();
    return f;
  }
  if (n.step == Step::access && n.access->is_load && facts_of(s, i.a).shape == Shape::uniform)
    return uniform_facts(0);
  return vector_facts();
}

}  // namespace warpwright::simt
