// SPDX-License-Identifier: Apache-2.0
#include "simt/native/text.h"

#include <algorithm>

#include "simt/native/writer.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kMostInstructions = 4000;

}  // namespace

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
  if (k_.info[id].opcode == Opcode::jump) {
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
  if (k_.info[end - 1].opcode == Opcode::exit) {
    ++text_.native;
    line("return n->exit(w);");
    return;
  }
  leave(end - 1, false);
}

bool NativeWriter::is_entry_block(std::uint32_t b) const {
  if (k_.info[k_.blocks[b].first].opcode == Opcode::exit) return false;
  if (b == 0 || shapes_.is_meeting(b)) return true;
  for (std::uint32_t from = b; from < k_.blocks.size(); ++from) {
    if (!shapes_.is_reached(from)) continue;
    const auto next = shapes_.successors(from);
    if (std::find(next.begin(), next.end(), b) != next.end()) return true;
  }
  return false;
}

Result<NativeText> NativeWriter::run() {
  if (k_.code.size() > kMostInstructions) return Error{"too many instructions"};
  if (!shapes_.run()) return Error{"calls that are not expanded in place"};
  text_.counted_by.assign(k_.code.size(), kNoBlock);
  text_.uniform.assign(k_.code.size(), false);
  text_.passes.assign(k_.code.size(), 0);
  for (std::uint32_t b = 0; b < k_.blocks.size(); ++b)
    if (shapes_.is_reached(b)) block(b);
  std::string body = std::move(out_);
  out_.clear();
  line("const Ins* kernel(Warp* w, u32 entry) {{");
  line("char* const r = w->base[0]; char* const k = w->base[1]; NativeState* const n = w->native;");
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
