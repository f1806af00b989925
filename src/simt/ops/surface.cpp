// SPDX-License-Identifier: Apache-2.0
// Reads and writes of surfaces. A surface object is the address of a ww_descriptors::Texture with a
// mark of its own; elements go through the checks of global memory.
#include <algorithm>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/isa/descriptors.h"
#include "simt/ops/texture.h"

namespace warpwright::simt {
namespace {

using ww_descriptors::Texture;

const Texture* surface_at(Warp& w, const Ins* i, u32 lane, u64 handle) {
  const Memory& memory = *w.worker->launch->memory;
  const Allocation* a = memory.nearest(handle);
  if (a != nullptr && a->live && handle % 8 == 0 && handle >= a->begin &&
      handle + sizeof(Texture) <= a->end()) {
    const auto* t = reinterpret_cast<const Texture*>(memory.host(handle));
    if (ww_descriptors::is_marked(*t, ww_descriptors::kSurfaceMark)) return t;
  }
  report(w, i, FaultKind::out_of_bounds, lane, handle, "surface",
         "there is no surface object, or it was destroyed");
  return nullptr;
}

/// Where one lane's access is.
struct SurfaceSpot {
  s64 x = 0;  ///< bytes
  s64 y = 0, plane = 0;
  bool inside = true;
};

s64 kept(s64 at, s64 last, SurfaceEdge edge, bool& inside) {
  if (at >= 0 && at <= last) return at;
  if (edge != SurfaceEdge::clamp) inside = false;
  return std::clamp<s64>(at, 0, std::max<s64>(last, 0));
}

SurfaceSpot spot_of(const Warp& w, const Ins* i, u32 lane, const SurfaceForm& form,
                    const Texture& t) {
  const TextureShape& shape = kTextureShapes[form.row];
  const u32 layers = shape.layered ? 1 : 0;
  const auto coordinate = [&](u32 k) -> s64 { return w.slot<s32>(i->more[form.count + k])[lane]; };
  const s64 row_bytes = static_cast<s64>(t.width * t.channels * t.channel_bytes);
  SurfaceSpot spot;
  spot.x = kept(coordinate(layers), row_bytes - form.count * form.bytes, form.edge, spot.inside);
  if (shape.dimensions > 1)
    spot.y = kept(coordinate(layers + 1), s64{t.height} - 1, form.edge, spot.inside);
  if (shape.layered || shape.dimensions > 2)
    spot.plane = kept(coordinate(shape.layered ? 0 : 2), s64{t.depth} - 1, form.edge, spot.inside);
  return spot;
}

u64 element(const Warp& w, Ref reg, u32 lane, u32 width) {
  if (width == 2) return w.slot<u16>(reg)[lane];
  if (width == 4) return w.slot<u32>(reg)[lane];
  return w.slot<u64>(reg)[lane];
}

void set_element(Warp& w, Ref reg, u32 lane, u32 width, u64 value) {
  if (width == 2) w.slot<u16>(reg)[lane] = static_cast<u16>(value);
  if (width == 4) w.slot<u32>(reg)[lane] = static_cast<u32>(value);
  if (width == 8) w.slot<u64>(reg)[lane] = value;
}

/// Between registers and memory, or zeros where a read has none.
void move(Warp& w, const Ins* i, u32 lane, const SurfaceForm& form, std::byte* at) {
  for (u32 k = 0; k < form.count; ++k) {
    u64 value = 0;
    std::byte* place = at == nullptr ? nullptr : at + std::size_t{k} * form.bytes;
    if (form.stores) {
      value = element(w, i->more[k], lane, form.width);
      if (place != nullptr) std::memcpy(place, &value, form.bytes);
      continue;
    }
    if (place != nullptr) std::memcpy(&value, place, form.bytes);
    set_element(w, i->more[k], lane, form.width, value);
  }
}

}  // namespace

const Ins* run_surface(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  const SurfaceForm form = SurfaceForm::unpack(i->imm);
  u64 a[kLanes] = {};
  u32 now = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const Texture* t = surface_at(w, i, l, w.slot<u64>(i->a)[l]);
    if (t == nullptr) continue;
    const SurfaceSpot spot = spot_of(w, i, l, form, *t);
    if (!spot.inside) {
      if (form.edge == SurfaceEdge::trap)
        report(w, i, FaultKind::out_of_bounds, l, t->address, "surface",
               "beside the surface's image (x counts bytes)");
      move(w, i, l, form, nullptr);
      continue;
    }
    a[l] = t->address + static_cast<u64>(spot.plane) * t->slice_bytes +
           static_cast<u64>(spot.y) * t->pitch_bytes + static_cast<u64>(spot.x);
    now |= u32{1} << l;
  }
  if (now == 0) return i + 1;
  Ins plain = *i;
  plain.imm = plain.aux = 0;
  Target t;
  resolve_global(w, &plain, a, now, u32{form.count} * form.bytes,
                 form.stores ? Access::store : Access::load, t);
  for (u32 l = 0; l < kLanes; ++l)
    if ((t.ok >> l & 1) != 0) move(w, i, l, form, t.lane[l]);
  return i + 1;
}

}  // namespace warpwright::simt
