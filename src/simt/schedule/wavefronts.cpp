// SPDX-License-Identifier: Apache-2.0
// Wavefronts of 64 lanes on a machine of 32: two warps that meet where their lanes exchange values.
//
// On a device with such wavefronts both halves walk together. A half that is not at an instruction
// has no active lanes there: its lanes took another way, and wait where the ways meet. Here each
// half walks by itself. It waits at an exchange until the other half comes to the same one, or
// until nothing in the block can go on; then the other half is not going to come.
#include "simt/schedule/wavefronts.h"

#include <algorithm>

#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

bool waits(const Split& s) { return s.state == Split::State::at_wave; }

/// The one that waits at the first instruction; null: none waits.
Split* first_waiting(Warp& w, Split* best) {
  for (Split& s : w.splits)
    if (waits(s) && (best == nullptr || s.ip->id < best->ip->id)) best = &s;
  return best;
}

}  // namespace

Split* waiting_half(Warp& w, const Ins* at) {
  const auto it = std::find_if(w.splits.begin(), w.splits.end(),
                               [at](const Split& s) { return waits(s) && s.ip == at; });
  return it == w.splits.end() ? nullptr : &*it;
}

bool free_half_wavefronts(BlockState& b) {
  bool freed = false;
  for (std::size_t i = 0; i < b.warps.size(); i += 2) {
    Split* s = first_waiting(b.warps[i], nullptr);
    if (i + 1 < b.warps.size()) s = first_waiting(b.warps[i + 1], s);
    if (s == nullptr) continue;
    s->forced = true;
    s->state = Split::State::ready;
    freed = true;
  }
  return freed;
}

}  // namespace warpwright::simt
