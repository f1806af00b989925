// SPDX-License-Identifier: Apache-2.0
// Ways between compiled code and the interpreter: out, in, and through single handlers.
#include <algorithm>

#include "simt/native/writer.h"

namespace warpwright::simt {

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
      "{{ const Ins* next = n->slow(w, {0}); if ((const char*)next != n->code + {1}) return "
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

}  // namespace warpwright::simt
