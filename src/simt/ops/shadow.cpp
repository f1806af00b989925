// SPDX-License-Identifier: Apache-2.0
// Reads of registers that nothing wrote, and uses of what a shuffle read from a lane that takes no
// part: a bit a lane for each register that may hold such a value, in a plane for each of the two.
#include <fmt/format.h>

#include "simt/isa/numbers.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

/// The shadow words of one kind.
struct Plane {
  u32* words;
  bool strays;
  u32& operator[](u32 word) const { return words[word]; }
};

template <class Body>
void for_planes(Warp& w, Body body) {
  body(Plane{w.undefined.data(), false});
  if (w.kernel->follows_strays) body(Plane{w.undefined.data() + w.kernel->shadow_words, true});
}

u32 undefined_lanes(const Warp& w, const Ins* i, const Plane& plane) {
  u32 lanes = 0;
  for (u32 k = 0; k < i->aux; ++k) lanes |= plane[i->more[k]];
  return lanes & w.lanes(i);
}

/// Whether an instruction is executed may itself depend on a stray value.
u32 guard_lanes(const Warp& w, const Ins* i, const Plane& plane) {
  return i->imm >= 0 ? plane[static_cast<u32>(i->imm)] & w.mask : 0;
}

void set_results(Warp& w, const Ins* i, u32 undefined, const Plane& plane) {
  const u32 m = w.lanes(i);
  const u32 doubtful = plane.strays ? guard_lanes(w, i, plane) : 0;
  for (u32 k = i->aux; k < i->aux + i->aux2; ++k) {
    u32& word = plane[i->more[k]];
    word = (word & ~m) | (undefined & m) | doubtful;
  }
}

void report_stray(Warp& w, const Ins* i, u32 lanes) {
  const auto lane = static_cast<u32>(std::countr_zero(lanes));
  report_lazily(w, i, FaultKind::sync_mask, lane, 0, "register", [&] {
    return fmt::format(
        "lane {} uses what the shuffle at {} read from a lane that takes no part in it", lane,
        place_of(w, &w.kernel->code[w.stray_from]));
  });
}

}  // namespace

const Ins* run_shadow_report(Warp& w, const Ins* i) {
  const bool only_strays = i->target != 0;
  for_planes(w, [&](const Plane& plane) {
    const u32 lanes = undefined_lanes(w, i, plane) | guard_lanes(w, i, plane);
    if (lanes != 0 && w.worker->launch->full_checks && plane.strays) report_stray(w, i, lanes);
    if (lanes != 0 && w.worker->launch->full_checks && !plane.strays && !only_strays) {
      // The instruction itself comes next.
      report_lazily(w, i, FaultKind::uninitialised_read, static_cast<u32>(std::countr_zero(lanes)),
                    0, "register", [] {
                      return std::string(
                          "a variable that was never given a value decides what is stored, which "
                          "address is accessed or which way a branch goes");
                    });
    }
    set_results(w, i, 0, plane);
  });
  return i + 1;
}

const Ins* run_shadow_write(Warp& w, const Ins* i) {
  for_planes(w, [&](const Plane& plane) { set_results(w, i, 0, plane); });
  return i + 1;
}

const Ins* run_shadow_spread(Warp& w, const Ins* i) {
  for_planes(w,
             [&](const Plane& plane) { set_results(w, i, undefined_lanes(w, i, plane), plane); });
  return i + 1;
}

const Ins* run_shadow_select(Warp& w, const Ins* i) {
  const u32 p = w.predicate(i->c);
  for_planes(w, [&](const Plane& plane) {
    const auto word = [&](u32 k) { return i->more[k] == kNoShadow ? 0 : plane[i->more[k]]; };
    set_results(w, i, (p & word(0)) | (~p & word(1)), plane);
  });
  return i + 1;
}

}  // namespace warpwright::simt
