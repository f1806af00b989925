// SPDX-License-Identifier: Apache-2.0
// Exchange of values in a wavefront.
#include "simt/schedule/wavefronts.h"

#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kWideWave = 2 * kLanes;

/// The lanes that take part; a half without a warp has none.
struct Wave {
  Warp* half[2] = {};
  u32 lanes[2] = {};
  u32 width = kLanes;

  [[nodiscard]] bool takes_part(u32 lane) const {
    return (lanes[lane / kLanes] >> (lane % kLanes) & 1) != 0;
  }
  /// Calls body(lane of the wavefront, warp, lane of the warp) for each of them.
  template <class Body>
  void each(Body body) const {
    for (u32 lane = 0; lane < kWideWave; ++lane)
      if (takes_part(lane)) body(lane, *half[lane / kLanes], lane % kLanes);
  }
};

/// All that take part, once they are there; nobody while they are not.
Wave gather(Warp& w, const Ins* i, Ref width) {
  Wave wave;
  if (w.slot<u32>(width)[std::countr_zero(w.mask)] == kWideWave) wave.width = kWideWave;
  const u32 own = wave.width == kWideWave ? w.index & 1 : 0;
  wave.half[own] = &w;
  wave.lanes[own] = w.mask;
  Split& current = w.splits[static_cast<std::size_t>(w.current)];
  const std::size_t other = w.index ^ 1;
  if (wave.width == kWideWave && other < w.block->warps.size() && !w.block->warps[other].done &&
      !current.forced) {
    Warp& partner = w.block->warps[other];
    Split* s = waiting_half(partner, i);
    if (s == nullptr) {
      current.state = Split::State::at_wave;
      current.ip = i;
      return {};
    }
    wave.half[1 - own] = &partner;
    wave.lanes[1 - own] = s->mask;
    s->state = Split::State::ready;
    s->ip = i + 1;
    ++partner.sync_epoch;
  }
  current.forced = false;
  ++w.sync_epoch;
  return wave;
}

}  // namespace

const Ins* run_wave_ballot(Warp& w, const Ins* i) {
  const Wave wave = gather(w, i, i->more[1]);
  if (wave.half[0] == nullptr && wave.half[1] == nullptr) return switch_split(w);
  u64 bits = 0;
  wave.each([&](u32 lane, const Warp& half, u32 l) {
    if (half.slot<u32>(i->more[0])[l] != 0) bits |= u64{1} << lane;
  });
  wave.each([&](u32, const Warp& half, u32 l) { half.slot<u64>(i->d)[l] = bits; });
  return i + 1;
}

const Ins* run_wave_pick(Warp& w, const Ins* i) {
  const Wave wave = gather(w, i, i->more[2]);
  if (wave.half[0] == nullptr && wave.half[1] == nullptr) return switch_split(w);
  // The result may be where an operand is.
  u32 picked[kWideWave] = {};
  wave.each([&](u32 lane, const Warp& half, u32 l) {
    const u32 from = half.slot<u32>(i->more[1])[l] & (wave.width - 1);
    if (wave.takes_part(from))
      picked[lane] = wave.half[from / kLanes]->slot<u32>(i->more[0])[from % kLanes];
  });
  wave.each([&](u32 lane, const Warp& half, u32 l) { half.slot<u32>(i->d)[l] = picked[lane]; });
  return i + 1;
}

}  // namespace warpwright::simt
