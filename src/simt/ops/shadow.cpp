// SPDX-License-Identifier: Apache-2.0
// Reads of registers that nothing wrote: a bit a lane for each register that may be.
#include "simt/isa/numbers.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

u32 undefined_lanes(const Warp& w, const Ins* i) {
  u32 lanes = 0;
  for (u32 k = 0; k < i->aux; ++k) lanes |= w.undefined[i->more[k]];
  return lanes & w.lanes(i);
}

void set_results(Warp& w, const Ins* i, u32 undefined) {
  const u32 m = w.lanes(i);
  for (u32 k = i->aux; k < i->aux + i->aux2; ++k) {
    u32& word = w.undefined[i->more[k]];
    word = (word & ~m) | (undefined & m);
  }
}

}  // namespace

const Ins* run_shadow_report(Warp& w, const Ins* i) {
  u32 lanes = undefined_lanes(w, i);
  if (i->imm >= 0) lanes |= w.undefined[i->imm] & w.mask;
  if (lanes != 0 && w.worker->launch->full_checks) {
    // The instruction itself comes next.
    report_lazily(w, i, FaultKind::uninitialised_read, static_cast<u32>(std::countr_zero(lanes)), 0,
                  "register", [] {
                    return std::string(
                        "a variable that was never given a value decides what is stored, which "
                        "address is accessed or which way a branch goes");
                  });
  }
  set_results(w, i, 0);
  return i + 1;
}

const Ins* run_shadow_write(Warp& w, const Ins* i) {
  set_results(w, i, 0);
  return i + 1;
}

const Ins* run_shadow_spread(Warp& w, const Ins* i) {
  set_results(w, i, undefined_lanes(w, i));
  return i + 1;
}

const Ins* run_shadow_select(Warp& w, const Ins* i) {
  const auto word = [&](u32 k) { return i->more[k] == kNoShadow ? 0 : w.undefined[i->more[k]]; };
  const u32 p = w.predicate(i->c);
  set_results(w, i, (p & word(0)) | (~p & word(1)));
  return i + 1;
}

}  // namespace warpwright::simt
