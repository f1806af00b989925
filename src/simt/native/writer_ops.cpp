// SPDX-License-Identifier: Apache-2.0
// Operations of compiled code.
#include "simt/native/writer.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {

/// Shuffles and synchronisation of all lanes.
void NativeWriter::exchange(std::uint32_t id) {
  const Ins& i = k_.code[id];
  line("w->sync_epoch += 1;");
  if (k_.info[id].opcode == Opcode::warp_sync) return;
  bool known = false;
  const auto from = static_cast<std::uint32_t>(shapes_.literal(i.b, known));
  const auto clamp = static_cast<std::uint32_t>(shapes_.literal(i.more[1], known));
  std::string lanes;
  std::uint32_t ranges = 0;
  for (std::uint32_t l = 0; l < kLanes; ++l) {
    bool in_range = false;
    lanes += fmt::format(", {}", source_lane(i.aux, l, from, clamp, in_range));
    ranges |= in_range ? std::uint32_t{1} << l : 0;
  }
  const std::int32_t a = shapes_.slot_of(i.a), d = shapes_.slot_of(i.d);
  const std::int32_t p = shapes_.slot_of(i.more[0]);
  const bool raw = a >= 0 && raw_[static_cast<std::size_t>(a)];
  if (d >= 0) {
    line("{{ const u32x from = {0}; v{1} = __builtin_shufflevector(from, from{2}); }}",
         vector(i.a, 4), d, lanes);
    raw_[static_cast<std::size_t>(d)] = raw;
  }
  if (p >= 0) line("v{} = lanes_of({:#x}u);", p, ranges);
}

/// Comparisons of a value that grows with the lane: the ends decide, unless they disagree.
bool NativeWriter::compare_affine(std::uint32_t id, const OpRow& op) {
  const Ins& i = k_.code[id];
  const bool left = facts(i.a).shape == Shape::affine;
  const Ref moving = left ? i.a : i.b;
  const std::int32_t d = shapes_.slot_of(i.d);
  const std::string type = type_of(op.arg[0].width);
  const std::string s_type = op.arg[0].is_signed ? "s" + type.substr(1) : type;
  const std::string first = scalar(moving), step = stride(moving);
  const std::string other = scalar(left ? i.b : i.a);
  give_up(id, fmt::format("fits_{}({}, {})", s_type, first, step));
  const std::string last = fmt::format("({})({} + 31 * {})", type, first, step);
  if (op.native.rule == ShapeRule::equality) {
    give_up(id, fmt::format("{2} == 0 || (({0}){3} < ({0}){1} && ({0}){3} < ({0}){4}) || "
                            "(({0}){3} > ({0}){1} && ({0}){3} > ({0}){4})",
                            s_type, first, step, other, last));
    line("a{} = {}_s({}, {});", d, op.native.name, first, other);
    return true;
  }
  const auto test = [&](const std::string& value) {
    return left ? fmt::format("{}_s({}, {})", op.native.name, value, other)
                : fmt::format("{}_s({}, {})", op.native.name, other, value);
  };
  give_up(id, fmt::format("{} == {}", test(first), test(last)));
  line("a{} = {};", d, test(first));
  return true;
}

bool NativeWriter::affine_operation(std::uint32_t id, const OpRow& op, const ValueFacts& result) {
  const Ins& i = k_.code[id];
  const std::int32_t d = shapes_.slot_of(i.d);
  using R = ShapeRule;
  const bool compares = op.native.rule == R::compare || op.native.rule == R::equality;
  if (compares && result.divides &&
      (facts(i.a).shape == Shape::affine || facts(i.b).shape == Shape::affine))
    return compare_affine(id, op);
  if (result.shape == Shape::uniform && facts(i.a).shape == Shape::affine) {
    // Neighbours whose differences are cut off.
    line("a{} = {}_s({}, {});", d, op.native.name, scalar(i.a), scalar(i.b));
    return true;
  }
  if (result.shape != Shape::affine) return false;
  const std::string type = type_of(op.result.width);
  const std::string a = scalar(i.a), b = scalar(i.b), c = scalar(i.c);
  const std::string ta = stride(i.a), tb = stride(i.b), tc = stride(i.c);
  const Ref moving = facts(i.a).shape == Shape::affine ? i.a : i.b;
  const Ref factor = moving == i.a ? i.b : i.a;
  const auto set = [&](const std::string& first, const std::string& step) {
    line("{{ {2} first = {0}, step = {1}; a{3} = first; t{3} = step; }}", first, step, type, d);
  };
  const bool is_signed = op.native.rule == R::wide_signed || op.native.rule == R::wide_mad_signed ||
                         op.native.rule == R::widen_signed;
  const bool widens = op.native.rule >= R::wide_signed && op.native.rule <= R::widen_unsigned;
  if (widens && facts(moving).shape == Shape::affine)
    give_up(id, fmt::format("fits_{}({}, {})", is_signed ? "s32" : "u32", scalar(moving),
                            stride(moving)));
  const std::string first = fmt::format("{}_s({}, {})", op.native.name, a, b);
  const std::string wide_step = fmt::format("(u64)(s64)(s32){} * (u64){}{}", stride(moving),
                                            is_signed ? "(s64)(s32)" : "", scalar(factor));
  switch (op.native.rule) {
    case R::move:
    case R::narrow:
      set(fmt::format("{}_s({})", op.native.name, a), fmt::format("({}){}", type, ta));
      break;
    case R::add:
    case R::sub:
      set(first, fmt::format("{} {} {}", ta, op.native.rule == R::add ? "+" : "-", tb));
      break;
    case R::mul:
      set(first, fmt::format("{} * {}", stride(moving), scalar(factor)));
      break;
    case R::mad:
      set(fmt::format("{}_s({}, {}, {})", op.native.name, a, b, c),
          fmt::format("{} * {} + {}", stride(moving), scalar(factor), tc));
      break;
    case R::shl:
      set(first, fmt::format("{}_s({}, {})", op.native.name, ta, b));
      break;
    case R::bit_and:
    case R::bit_or:
      set(first, "1");
      break;
    case R::wide_signed:
    case R::wide_unsigned:
      set(first, wide_step);
      break;
    case R::wide_mad_signed:
    case R::wide_mad_unsigned:
      set(fmt::format("{}_s({}, {}, {})", op.native.name, a, b, c),
          fmt::format("{} + {}", wide_step, tc));
      break;
    case R::widen_signed:
    case R::widen_unsigned:
      set(fmt::format("{}_s({})", op.native.name, a), fmt::format("(u64)(s64)(s32){}", ta));
      break;
    case R::select:
      set(fmt::format("{}_s({}, {}, {})", op.native.name, a, b, c),
          fmt::format("{} ? {} : {}", c, ta, tb));
      break;
    default:
      return false;
  }
  return true;
}

void NativeWriter::operation(std::uint32_t id) {
  const Ins& i = k_.code[id];
  const OpRow& op = *shapes_.steps()[id].op;
  const std::int32_t d = shapes_.slot_of(i.d);
  const std::size_t args = op.args;
  if (!op.native.raw_in)
    for (std::size_t k = 0; k < args; ++k) settle(operand(&i, k));
  const ValueFacts result = shapes_.result_of(state_, id);
  if (!affine_operation(id, op, result)) {
    const bool uniform = result.shape == Shape::uniform;
    const bool chosen = op.native.rule == ShapeRule::select && facts(i.c).shape == Shape::uniform;
    std::string list;
    for (std::size_t k = 0; k < args; ++k) {
      const Ref r = operand(&i, k);
      if (k > 0) list += ", ";
      const bool whole = uniform || (chosen && k == 2);
      list += whole ? scalar(r) : vector(r, op.arg[k].width);
    }
    line("{}{} = {}_{}({});", uniform ? "a" : "v", d, op.native.name,
         uniform  ? "s"
         : chosen ? "u"
                  : "v",
         list);
  }
  raw_[static_cast<std::size_t>(d)] = op.native.raw_out && op.result.width == 4;
}

}  // namespace warpwright::simt
