// SPDX-License-Identifier: Apache-2.0
// Values of compiled code: as one number, as two, as 32, and in their registers' places.
#include "simt/native/writer.h"

namespace warpwright::simt {

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

}  // namespace warpwright::simt
