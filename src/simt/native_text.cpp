// SPDX-License-Identifier: Apache-2.0
#include "simt/native_text.h"

#include <algorithm>

#include "simt/handlers.h"
#include "simt/native_writer.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kMostInstructions = 4000;

}  // namespace

std::string NativeWriter::type_of(std::uint8_t width) const {
  return width == 2 ? "u16" : width == 8 ? "u64" : "u32";
}

std::string NativeWriter::place(std::uint32_t slot) const {
  return fmt::format("(r + {})", shapes_.slots()[slot].ref);
}

std::string NativeWriter::scalar(Ref ref) const {
  if (const std::int32_t s = shapes_.slot_of(ref); s >= 0) return fmt::format("a{}", s);
  const Constant* c = shapes_.constant_of(ref);
  if (c != nullptr && c->kind == Constant::Kind::bits) {
    const std::uint64_t mask = c->width == 8   ? ~std::uint64_t{0}
                               : c->width == 2 ? 0xffff
                                               : 0xffffffffu;
    return fmt::format("(({}){:#x}ull)", type_of(c->width), c->value & mask);
  }
  return fmt::format("c{}", (ref & ~kConstantBit) / 64);
}

std::string NativeWriter::stride(Ref ref) const {
  const std::int32_t s = shapes_.slot_of(ref);
  if (s < 0 || facts(ref).shape != Shape::affine) return "0";
  return fmt::format("t{}", s);
}

std::string NativeWriter::vector(Ref ref, std::uint8_t width) const {
  const std::string type = type_of(width);
  const std::int32_t s = shapes_.slot_of(ref);
  const Shape shape = facts(ref).shape;
  if (width == 0) {
    if (s >= 0 && shape == Shape::vector) return fmt::format("v{}", s);
    return fmt::format("((s32x)(s32){})", scalar(ref));
  }
  if (s < 0 || shape == Shape::uniform) return fmt::format("(({}x){})", type, scalar(ref));
  if (shape == Shape::affine) return fmt::format("AFF({}, a{}, t{})", type, s, s);
  return fmt::format("v{}", s);
}

void NativeWriter::settle(Ref ref) {
  const std::int32_t s = shapes_.slot_of(ref);
  if (s < 0 || !raw_[static_cast<std::size_t>(s)]) return;
  raw_[static_cast<std::size_t>(s)] = false;
  if (facts(ref).shape == Shape::vector)
    line("v{0} = canon_v(v{0});", s);
  else
    line("a{0} = canon_s(a{0});", s);
}

/// Puts a value into its register's place. Does not change the state.
void NativeWriter::spill(std::uint32_t slot) {
  const Slot& p = shapes_.slots()[slot];
  const Shape shape = state_.facts[slot].shape;
  if (p.width == 0) {
    if (shape == Shape::vector)
      line("STS(u32, {}, bits_of(v{}));", place(slot), slot);
    else
      line("STS(u32, {}, a{});", place(slot), slot);
    return;
  }
  if (shape != Shape::vector) {
    // A call is short: most of these are on ways that are hardly ever taken.
    const std::string first =
        raw_[slot] ? fmt::format("canon_s(a{})", slot) : fmt::format("a{}", slot);
    line("put_{}({}, {}, {});", type_of(p.width), place(slot), first,
         shape == Shape::affine ? fmt::format("t{}", slot) : "0");
    return;
  }
  std::string value = vector(p.ref, p.width);
  if (raw_[slot]) value = fmt::format("canon_v({})", value);
  line("STV({}, {}, {});", type_of(p.width), place(slot), value);
}

void NativeWriter::spill_live(std::uint32_t id, bool before) {
  const std::vector<bool>& live = shapes_.live_before(before ? id : id + 1);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v)
    if (live[v] && state_.dirty[v]) spill(v);
}

void NativeWriter::reload(std::uint32_t slot, bool as_vector) {
  const Slot& p = shapes_.slots()[slot];
  if (p.width == 0)
    line("v{} = lanes_of(LDS(u32, {}));", slot, place(slot));
  else if (as_vector)
    line("v{} = LDV({}, {});", slot, type_of(p.width), place(slot));
  else
    line("a{} = LDS({}, {});", slot, type_of(p.width), place(slot));
}

/// The interpreter takes over at an instruction whose assumption does not hold.
void NativeWriter::give_up(std::uint32_t id, const std::string& unless) {
  line("if (UNLIKELY(!({}))) {{", unless);
  // A group that is cut short: those of its accesses that were made are counted one by one.
  for (const auto& [leader, g] : groups_) {
    if (leader >= id || g.members.back() < id) continue;
    line("n->hits[{}] -= 1;", leader);
    for (const std::uint32_t member : g.members)
      if (member < id) line("n->hits[{}] += 1;", k_.code.size() + member);
  }
  spill_live(id, true);
  line("return n->slow(w, {}); }}", id);
}

/// All live registers in place, then the handler. `returns`: whether it may go on behind itself.
void NativeWriter::leave(std::uint32_t id, bool returns) {
  // What the handler itself reads is live before it.
  spill_live(id, true);
  if (!returns) {
    line("return n->slow(w, {});", id);
    return;
  }
  line(
      "{{ const struct I* next = n->slow(w, {0}); if ((const char*)next != n->code + {1}) return "
      "next; }}",
      id, (id + 1) * sizeof(Ins));
  const Ins& i = k_.code[id];
  const auto result = [&](Ref ref) {
    if (const std::int32_t s = shapes_.slot_of(ref); s >= 0)
      reload(static_cast<std::uint32_t>(s), true), raw_[static_cast<std::size_t>(s)] = false;
  };
  result(i.d);
  for (std::uint32_t m = 0; m < k_.info[id].more_defs; ++m) result(i.more[m]);
}

/// A barrier: the warp waits, and comes back behind it. What all lanes know by one or two numbers
/// is kept as those; nobody else looks at the registers meanwhile.
void NativeWriter::suspend(std::uint32_t id) {
  const std::vector<bool>& live = shapes_.live_before(id);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v) {
    if (!live[v] || !state_.dirty[v]) continue;
    settle(shapes_.slots()[v].ref);
    if (state_.facts[v].shape == Shape::vector)
      spill(v);
    else
      line("w->kept[{0}] = a{1}; w->kept[{0} + 1] = {2};", 2 * v, v,
           state_.facts[v].shape == Shape::affine ? fmt::format("t{}", v) : "0");
  }
  line("w->resume = {}; return n->slow(w, {});", id + 1, id);
}

/// Behind a barrier that suspend() came to.
void NativeWriter::resume(std::uint32_t id) {
  line("if (LIKELY(w->resume == {})) {{ w->resume = 0;", id);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v) {
    if (!shapes_.live_before(id)[v]) continue;
    const Slot& p = shapes_.slots()[v];
    const Shape shape = state_.facts[v].shape;
    const std::string type = type_of(p.width);
    if (shape == Shape::vector) {
      reload(v, true);
    } else if (state_.dirty[v]) {
      line("a{0} = ({1})w->kept[{2}]; t{0} = ({1})w->kept[{2} + 1];", v, type, 2 * v);
    } else {
      line("a{} = LDS({}, {});", v, type, place(v));
      if (shape == Shape::affine)
        line("t{0} = ({1})(LDS({1}, {2} + sizeof({1})) - a{0});", v, type, place(v));
    }
  }
  line("goto at{}; }}", id);
}

/// Shuffles and synchronisation of all lanes.
void NativeWriter::exchange(std::uint32_t id) {
  const Ins& i = k_.code[id];
  line("w->sync_epoch += 1;");
  if (i.run == run_warp_sync) return;
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

/// A handler that touches nothing but its operands.
void NativeWriter::call(std::uint32_t id) {
  const Ins& i = k_.code[id];
  std::vector<Ref> refs = {i.a, i.b, i.c, i.d, i.guard};
  refs.insert(refs.end(), i.more, i.more + k_.info[id].more);
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  for (const Ref r : refs) {
    settle(r);
    if (const std::int32_t s = shapes_.slot_of(r);
        s >= 0 && state_.dirty[static_cast<std::size_t>(s)])
      spill(static_cast<std::uint32_t>(s));
  }
  line("n->one(w, {});", id);
  const auto result = [&](Ref ref) {
    if (const std::int32_t s = shapes_.slot_of(ref); s >= 0)
      reload(static_cast<std::uint32_t>(s), true);
  };
  result(i.d);
  for (std::uint32_t m = 0; m < k_.info[id].more_defs; ++m) result(i.more[m]);
}

/// Comparisons of a value that grows with the lane: the ends decide, unless they disagree.
bool NativeWriter::compare_affine(std::uint32_t id, const NativeOp& op) {
  const Ins& i = k_.code[id];
  const bool left = facts(i.a).shape == Shape::affine;
  const Ref moving = left ? i.a : i.b;
  const std::int32_t d = shapes_.slot_of(i.d);
  const std::string type = type_of(op.row->arg[0].width);
  const std::string s_type = op.is_signed ? "s" + type.substr(1) : type;
  const std::string first = scalar(moving), step = stride(moving);
  const std::string other = scalar(left ? i.b : i.a);
  give_up(id, fmt::format("fits_{}({}, {})", s_type, first, step));
  const std::string last = fmt::format("({})({} + 31 * {})", type, first, step);
  if (op.equality) {
    give_up(id, fmt::format("{2} == 0 || (({0}){3} < ({0}){1} && ({0}){3} < ({0}){4}) || "
                            "(({0}){3} > ({0}){1} && ({0}){3} > ({0}){4})",
                            s_type, first, step, other, last));
    line("a{} = {}_s({}, {});", d, op.name, first, other);
    return true;
  }
  const auto test = [&](const std::string& value) {
    return left ? fmt::format("{}_s({}, {})", op.name, value, other)
                : fmt::format("{}_s({}, {})", op.name, other, value);
  };
  give_up(id, fmt::format("{} == {}", test(first), test(last)));
  line("a{} = {};", d, test(first));
  return true;
}

bool NativeWriter::affine_operation(std::uint32_t id, const NativeOp& op,
                                    const ValueFacts& result) {
  const Ins& i = k_.code[id];
  const std::int32_t d = shapes_.slot_of(i.d);
  using R = ShapeRule;
  if (op.rule == R::compare && result.divides &&
      (facts(i.a).shape == Shape::affine || facts(i.b).shape == Shape::affine))
    return compare_affine(id, op);
  if (result.shape == Shape::uniform && facts(i.a).shape == Shape::affine) {
    // Neighbours whose differences are cut off.
    line("a{} = {}_s({}, {});", d, op.name, scalar(i.a), scalar(i.b));
    return true;
  }
  if (result.shape != Shape::affine) return false;
  const std::string type = type_of(op.row->result.width);
  const std::string a = scalar(i.a), b = scalar(i.b), c = scalar(i.c);
  const std::string ta = stride(i.a), tb = stride(i.b), tc = stride(i.c);
  const Ref moving = facts(i.a).shape == Shape::affine ? i.a : i.b;
  const Ref factor = moving == i.a ? i.b : i.a;
  const auto set = [&](const std::string& first, const std::string& step) {
    line("{{ {2} first = {0}, step = {1}; a{3} = first; t{3} = step; }}", first, step, type, d);
  };
  const bool is_signed =
      op.rule == R::wide_signed || op.rule == R::wide_mad_signed || op.rule == R::widen_signed;
  const bool widens = op.rule >= R::wide_signed && op.rule <= R::widen_unsigned;
  if (widens && facts(moving).shape == Shape::affine)
    give_up(id, fmt::format("fits_{}({}, {})", is_signed ? "s32" : "u32", scalar(moving),
                            stride(moving)));
  const std::string first = fmt::format("{}_s({}, {})", op.name, a, b);
  const std::string wide_step = fmt::format("(u64)(s64)(s32){} * (u64){}{}", stride(moving),
                                            is_signed ? "(s64)(s32)" : "", scalar(factor));
  switch (op.rule) {
    case R::move:
    case R::narrow:
      set(fmt::format("{}_s({})", op.name, a), fmt::format("({}){}", type, ta));
      break;
    case R::add:
    case R::sub:
      set(first, fmt::format("{} {} {}", ta, op.rule == R::add ? "+" : "-", tb));
      break;
    case R::mul:
      set(first, fmt::format("{} * {}", stride(moving), scalar(factor)));
      break;
    case R::mad:
      set(fmt::format("{}_s({}, {}, {})", op.name, a, b, c),
          fmt::format("{} * {} + {}", stride(moving), scalar(factor), tc));
      break;
    case R::shl:
      set(first, fmt::format("{}_s({}, {})", op.name, ta, b));
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
      set(fmt::format("{}_s({}, {}, {})", op.name, a, b, c), fmt::format("{} + {}", wide_step, tc));
      break;
    case R::widen_signed:
    case R::widen_unsigned:
      set(fmt::format("{}_s({})", op.name, a), fmt::format("(u64)(s64)(s32){}", ta));
      break;
    case R::select:
      set(fmt::format("{}_s({}, {}, {})", op.name, a, b, c),
          fmt::format("{} ? {} : {}", c, ta, tb));
      break;
    default:
      return false;
  }
  return true;
}

void NativeWriter::operation(std::uint32_t id) {
  const Ins& i = k_.code[id];
  const NativeOp& op = *shapes_.steps()[id].op;
  const std::int32_t d = shapes_.slot_of(i.d);
  const std::size_t args = op.row->args;
  if (!op.raw_in)
    for (std::size_t k = 0; k < args; ++k) settle(operand(&i, k));
  const ValueFacts result = shapes_.result_of(state_, id);
  if (!affine_operation(id, op, result)) {
    const bool uniform = result.shape == Shape::uniform;
    const bool chosen = op.rule == ShapeRule::select && facts(i.c).shape == Shape::uniform;
    std::string list;
    for (std::size_t k = 0; k < args; ++k) {
      const Ref r = operand(&i, k);
      if (k > 0) list += ", ";
      const bool whole = uniform || (chosen && k == 2);
      list += whole ? scalar(r) : vector(r, op.row->arg[k].width);
    }
    line("{}{} = {}_{}({});", uniform ? "a" : "v", d, op.name,
         uniform  ? "s"
         : chosen ? "u"
                  : "v",
         list);
  }
  raw_[static_cast<std::size_t>(d)] = op.raw_out && op.row->result.width == 4;
}

void NativeWriter::step(std::uint32_t id) {
  const NativeStep& n = shapes_.steps()[id];
  ++text_.executed;
  switch (n.step) {
    case Step::operation:
      ++text_.native;
      operation(id);
      break;
    case Step::access:
      ++text_.native;
      access(id);
      break;
    case Step::nothing:
      ++text_.native;
      return;
    case Step::call:
      call(id);
      break;
    case Step::exchange:
      ++text_.native;
      exchange(id);
      break;
    case Step::suspend:
      suspend(id);
      break;
    case Step::leaving:
      leave(id, true);
      break;
    default:
      leave(id, false);
      break;
  }
  shapes_.advance(state_, id);
  if (n.step == Step::suspend) {
    std::fill(raw_.begin(), raw_.end(), false);
    text_.entries.push_back(id + 1);
    line("at{}:;", id + 1);
  }
}

/// Goes to a block with every live value in the form that the block expects.
void NativeWriter::edge(std::uint32_t to) {
  const SlotState& wanted = shapes_.entry_state(to);
  const std::vector<bool>& live = shapes_.live_into(to);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v) {
    const Slot& p = shapes_.slots()[v];
    const Shape have = state_.facts[v].shape, want = wanted.facts[v].shape;
    if (!live[v] || have == want || p.fixed) continue;
    if (want == Shape::vector)
      line("v{} = {};", v, vector(p.ref, p.width));
    else if (want == Shape::affine && have == Shape::uniform)
      line("t{} = 0;", v);
  }
  line("goto b{};", to);
}

void NativeWriter::branch(std::uint32_t id) {
  ++text_.executed;
  const Ins& i = k_.code[id];
  if (i.run == run_jump) {
    ++text_.native;
    return edge(i.target);
  }
  ++text_.native;
  const bool flipped = i.guard_flip != 0;
  if (facts(i.guard).shape == Shape::uniform) {
    line("if ({}{}) {{", flipped ? "!" : "", scalar(i.guard));
    edge(i.target);
    line("}}");
    return edge(i.aux);
  }
  line("{{ const u32 taken = bits_of({}){};", vector(i.guard, 0), flipped ? " ^ ~0u" : "");
  line("if (taken == ~0u) {{");
  edge(i.target);
  line("}} if (taken == 0) {{");
  edge(i.aux);
  line("}} }}");
  leave(id, false);
}

void NativeWriter::block(std::uint32_t b) {
  const BasicBlock& block = k_.blocks[b];
  state_ = shapes_.entry_state(b);
  raw_.assign(shapes_.slots().size(), false);
  find_groups(b);
  line("b{}:", b);
  line("w->counts[{0}].warps += 1; w->counts[{0}].lanes += 32;", b);
  line("if (UNLIKELY((w->fuel -= {}) < 0)) {{", block.size + 1);
  spill_live(block.first, true);
  line("return n->out_of_fuel(w, {}); }}", block.first);
  if (is_entry_block(b)) {
    text_.entries.push_back(block.first);
    line("at{}:;", block.first);
  }
  const std::uint32_t end = shapes_.end_of(b);
  for (std::uint32_t id = block.first; id + 1 < end; ++id) step(id);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v)
    if (raw_[v]) settle(shapes_.slots()[v].ref);
  const Step last = shapes_.steps()[end - 1].step;
  if (last == Step::branch || last == Step::jump) return branch(end - 1);
  ++text_.executed;
  leave(end - 1, false);
}

bool NativeWriter::is_entry_block(std::uint32_t b) const {
  if (k_.code[k_.blocks[b].first].run == run_exit) return false;
  if (b == 0 || shapes_.is_meeting(b)) return true;
  for (std::uint32_t from = b; from < k_.blocks.size(); ++from) {
    if (!shapes_.is_reached(from)) continue;
    const auto next = shapes_.successors(from);
    if (std::find(next.begin(), next.end(), b) != next.end()) return true;
  }
  return false;
}

/// Takes over from the interpreter: every value must have the form that the code expects.
void NativeWriter::entry(std::uint32_t id) {
  const std::vector<bool>& live = shapes_.live_before(id);
  if (id > 0 && shapes_.steps()[id - 1].step == Step::suspend) resume(id);
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v) {
    if (!live[v]) continue;
    const Slot& p = shapes_.slots()[v];
    const ValueFacts& f = state_.facts[v];
    const std::string type = type_of(p.width);
    if (f.shape == Shape::vector || f.shape == Shape::none) {
      reload(v, true);
      continue;
    }
    line("a{} = LDS({}, {});", v, type, place(v));
    if (p.width == 0) {
      line("if (a{0} + 1 > 1) return n->slow(w, {1});", v, id);
      continue;
    }
    if (f.shape == Shape::affine)
      line("t{0} = ({1})(LDS({1}, {2} + sizeof({1})) - a{0});", v, type, place(v));
    if (p.fixed) continue;
    if (f.shape == Shape::affine && f.stride_known)
      line("if (t{0} != ({1}){2:#x}ull) return n->slow(w, {3});", v, type,
           static_cast<std::uint64_t>(f.stride), id);
    line("if (!same_{0}({1}, a{2}, {3})) return n->slow(w, {4});", type, place(v), v,
         f.shape == Shape::affine ? fmt::format("t{}", v) : "0", id);
  }
  line("goto at{};", id);
}

Result<NativeText> NativeWriter::run() {
  if (k_.code.size() > kMostInstructions) return Error{"too many instructions"};
  if (!shapes_.run()) return Error{"calls that are not expanded in place"};
  text_.counted_by.assign(k_.code.size(), kNoBlock);
  text_.uniform.assign(k_.code.size(), false);
  for (std::uint32_t b = 0; b < k_.blocks.size(); ++b)
    if (shapes_.is_reached(b)) block(b);
  std::string body = std::move(out_);
  out_.clear();
  line("const struct I* kernel(struct W* w, u32 entry) {{");
  line("char* const r = w->base[0]; char* const k = w->base[1]; struct N* const n = w->n;");
  line("char* const sh = w->shared; const u64 shn = w->shared_bytes;");
  for (std::uint32_t v = 0; v < shapes_.slots().size(); ++v) {
    const std::uint8_t width = shapes_.slots()[v].width;
    line("{0} a{1}, t{1}; {2} v{1};", type_of(width), v,
         width == 0 ? "s32x" : type_of(width) + "x");
  }
  for (const Constant& c : k_.constants)
    if (c.kind != Constant::Kind::bits)
      line("const {0} c{1} = LDS({0}, k + {2});", type_of(c.width), (c.ref & ~kConstantBit) / 64,
           c.ref & ~kConstantBit);
  for (const auto& [leader, group] : groups_) line("u32 ok{};", leader);
  line("switch (entry) {{");
  std::sort(text_.entries.begin(), text_.entries.end());
  for (std::size_t e = 0; e < text_.entries.size(); ++e) {
    line("case {}: {{", e);
    const std::uint32_t id = text_.entries[e];
    std::uint32_t b = 0;
    while (b + 1 < k_.blocks.size() && k_.blocks[b + 1].first <= id) ++b;
    state_ = shapes_.entry_state(b);
    for (std::uint32_t at = k_.blocks[b].first; at < id; ++at) shapes_.advance(state_, at);
    entry(id);
    line("}}");
  }
  line("}} return 0;");
  text_.source = std::string(native_prelude()) + out_ + body + "}\n";
  return std::move(text_);
}

Result<NativeText> native_text(const Kernel& kernel, const NativeVariant& variant) {
  return NativeWriter(kernel, variant).run();
}

}  // namespace warpwright::simt
