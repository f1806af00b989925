// SPDX-License-Identifier: Apache-2.0
// Texture fetches. A texture object is the address of a ww_descriptors::Texture in global memory;
// elements are read through the checks of global loads.
#include "simt/ops/texture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/isa/descriptors.h"
#include "simt/ops/half.h"

namespace warpwright::simt {
namespace {

using ww_descriptors::Texture;
using ww_descriptors::TextureEdge;
using ww_descriptors::TextureKind;

constexpr u32 kDimensions = 3;

/// Where one lane reads along one dimension: two elements and the second one's share.
struct Along {
  s64 at[2] = {};
  bool outside[2] = {};
  float share = 0;
};

struct Fetch {
  const Texture* texture = nullptr;  ///< null: this lane has none
  std::array<Along, kDimensions> along;
  u64 plane = 0;  ///< byte offset of the layer
  float sum[4] = {};
  u32 bits[4] = {};
};

/// The element behind an index beside the image.
s64 folded(s64 at, s64 size, TextureEdge edge, bool& outside) {
  outside = false;
  if (at >= 0 && at < size) return at;
  switch (edge) {
    case TextureEdge::wrap:
      return ((at % size) + size) % size;
    case TextureEdge::mirror: {
      const s64 turn = ((at % (2 * size)) + 2 * size) % (2 * size);
      return turn < size ? turn : 2 * size - 1 - turn;
    }
    case TextureEdge::border:
      outside = true;
      return 0;
    case TextureEdge::clamp:
      break;
  }
  return std::clamp<s64>(at, 0, size - 1);
}

/// As the device's units do it: coordinates in 32 bits, shares in steps of 1/256.
Along along_real(const Texture& t, u32 d, float x, s64 size) {
  auto edge = static_cast<TextureEdge>(t.edge[d]);
  // Repetition is for coordinates that do not depend on the size.
  if (t.normalized == 0 && (edge == TextureEdge::wrap || edge == TextureEdge::mirror))
    edge = TextureEdge::clamp;
  float place = t.normalized != 0 ? x * static_cast<float>(size) : x;
  if (t.interpolates != 0) place -= 0.5F;
  Along a;
  constexpr float kFarthest = 1 << 30;
  const float whole =
      std::floor(std::isnan(place) ? 0.F : std::clamp(place, -kFarthest, kFarthest));
  const auto first = static_cast<s64>(whole);
  a.at[0] = folded(first, size, edge, a.outside[0]);
  if (t.interpolates == 0) return a;
  a.at[1] = folded(first + 1, size, edge, a.outside[1]);
  a.share = std::floor((place - whole) * 256.F + 0.5F) / 256.F;
  return a;
}

/// Integer coordinates: what is beside the image reads as zero.
Along along_whole(s64 at, s64 size) {
  Along a;
  a.outside[0] = at < 0 || at >= size;
  a.at[0] = a.outside[0] ? 0 : at;
  return a;
}

const Texture* texture_at(Warp& w, const Ins* i, u32 lane, u64 handle) {
  const Memory& memory = *w.worker->launch->memory;
  const Allocation* a = memory.nearest(handle);
  if (a != nullptr && a->live && handle % 8 == 0 && handle >= a->begin &&
      handle + sizeof(Texture) <= a->end()) {
    const auto* t = reinterpret_cast<const Texture*>(memory.host(handle));
    if (ww_descriptors::is_marked(*t, ww_descriptors::kTextureMark)) return t;
  }
  report(w, i, FaultKind::out_of_bounds, lane, handle, "texture",
         "there is no texture object, or it was destroyed");
  return nullptr;
}

float channel_real(const Texture& t, const std::byte* at) {
  const auto kind = static_cast<TextureKind>(t.kind);
  u32 bits = 0;
  std::memcpy(&bits, at, t.channel_bytes);
  if (kind == TextureKind::f)
    return t.channel_bytes == 2 ? to_float(Half{static_cast<u16>(bits)})
                                : std::bit_cast<float>(bits);
  const u32 unused = 32 - 8 * t.channel_bytes;
  if (kind == TextureKind::u)
    return static_cast<float>(bits) / static_cast<float>((u64{1} << (8 * t.channel_bytes)) - 1);
  const s32 value = static_cast<s32>(bits << unused) >> unused;
  const auto most = static_cast<float>((u64{1} << (8 * t.channel_bytes - 1)) - 1);
  return std::max(static_cast<float>(value) / most, -1.F);
}

u32 channel_bits(const Texture& t, const std::byte* at) {
  u32 bits = 0;
  std::memcpy(&bits, at, t.channel_bytes);
  const u32 unused = 32 - 8 * t.channel_bytes;
  if (static_cast<TextureKind>(t.kind) != TextureKind::s) return bits;
  return static_cast<u32>(static_cast<s32>(bits << unused) >> unused);
}

/// One of the up to eight elements around a place: its share, whether it exists, its address.
struct Tap {
  float share = 1;
  bool outside = false;
  u64 address = 0;
};

Tap tap_of(const Fetch& f, u32 corner) {
  const Texture& t = *f.texture;
  Tap tap;
  u64 index[kDimensions];
  for (u32 d = 0; d < kDimensions; ++d) {
    const u32 side = corner >> d & 1;
    const Along& a = f.along[d];
    tap.share *= side != 0 ? a.share : 1.F - a.share;
    tap.outside = tap.outside || a.outside[side];
    index[d] = static_cast<u64>(a.at[side]);
  }
  tap.address = t.address + f.plane + index[2] * t.slice_bytes + index[1] * t.pitch_bytes +
                index[0] * t.channels * t.channel_bytes;
  return tap;
}

bool gives_reals(const Texture& t) {
  return static_cast<TextureKind>(t.kind) == TextureKind::f || t.as_fractions != 0;
}

void take(Fetch& f, const Tap& tap, const std::byte* at) {
  const Texture& t = *f.texture;
  for (u32 c = 0; c < 4; ++c) {
    const std::byte* channel = at + std::size_t{c} * t.channel_bytes;
    const bool there = c < t.channels && !tap.outside;
    if (gives_reals(t)) {
      const float beside = tap.outside ? t.border[c] : c == 3 ? 1.F : 0.F;
      f.sum[c] += tap.share * (there ? channel_real(t, channel) : beside);
    } else {
      f.bits[c] = there ? channel_bits(t, channel) : tap.outside ? 0 : c == 3 ? 1 : 0;
    }
  }
}

void place(const Warp& w, const Ins* i, u32 lane, const TextureShape& shape, Fetch& f) {
  const Texture& t = *f.texture;
  const u32 first = 4 + (shape.layered ? 1 : 0);
  const s64 sizes[kDimensions] = {static_cast<s64>(t.width), s64{t.height}, s64{t.depth}};
  if (shape.layered) {
    const s64 layer = w.slot<s32>(i->more[4])[lane];
    f.plane = static_cast<u64>(std::clamp<s64>(layer, 0, s64{t.depth} - 1)) * t.slice_bytes;
  }
  for (u32 d = 0; d < shape.dimensions; ++d) {
    if ((i->aux & kTextureWhole) != 0)
      f.along[d] = along_whole(w.slot<s32>(i->more[first + d])[lane], sizes[d]);
    else
      f.along[d] = along_real(t, d, w.slot<float>(i->more[first + d])[lane], sizes[d]);
  }
}

/// Reads one corner for all lanes.
void read_corner(Warp& w, const Ins* i, u32 m, u32 corner, std::array<Fetch, kLanes>& fetches) {
  std::array<Tap, kLanes> taps;
  u64 a[kLanes] = {};
  // Lanes whose elements have one size are read together.
  for (const u32 bytes : {1U, 2U, 4U, 8U, 16U}) {
    u32 now = 0;
    for (u32 l = 0; l < kLanes; ++l) {
      Fetch& f = fetches[l];
      if ((m >> l & 1) == 0 || f.texture == nullptr) continue;
      if (u32{f.texture->channels} * f.texture->channel_bytes != bytes) continue;
      taps[l] = tap_of(f, corner);
      if (corner != 0 && taps[l].share == 0.F) continue;
      if (taps[l].outside) {
        take(f, taps[l], nullptr);
        continue;
      }
      a[l] = taps[l].address;
      now |= u32{1} << l;
    }
    if (now == 0) continue;
    Target t;
    resolve_global(w, i, a, now, bytes, Access::load, t);
    for (u32 l = 0; l < kLanes; ++l)
      if ((t.ok >> l & 1) != 0) take(fetches[l], taps[l], t.lane[l]);
  }
}

}  // namespace

const Ins* run_texture(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const TextureShape& shape = kTextureShapes[i->aux & kTextureRow];
  Ins plain = *i;
  plain.aux = 0;
  std::array<Fetch, kLanes> fetches;
  u32 corners = 1;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    Fetch& f = fetches[l];
    f.texture = texture_at(w, i, l, w.slot<u64>(i->a)[l]);
    if (f.texture == nullptr) continue;
    place(w, i, l, shape, f);
    if (f.texture->interpolates != 0 && (i->aux & kTextureWhole) == 0)
      corners = u32{1} << shape.dimensions;
  }
  for (u32 corner = 0; corner < corners; ++corner) read_corner(w, &plain, m, corner, fetches);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const Fetch& f = fetches[l];
    const bool reals = f.texture != nullptr && gives_reals(*f.texture);
    for (u32 c = 0; c < 4; ++c)
      w.slot<u32>(i->more[c])[l] = reals ? std::bit_cast<u32>(f.sum[c]) : f.bits[c];
  }
  return i + 1;
}

}  // namespace warpwright::simt
