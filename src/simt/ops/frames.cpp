// SPDX-License-Identifier: Apache-2.0
// Registers of functions that are entered again, on a stack in local memory.
#include <fmt/format.h>

#include <cstring>

#include "simt/ops/alu.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

struct FrameLayout {
  u32 counts[4];  ///< of 8, 4, 2 bytes and predicates
  u32 bytes = 0;

  explicit FrameLayout(s64 packed) {
    for (u32 k = 0; k < 4; ++k) counts[k] = static_cast<u32>(packed >> (16 * k) & 0xffff);
    bytes = (8 * counts[0] + 4 * counts[1] + 2 * counts[2] + counts[3] + 15) / 16 * 16;
  }
};

/// Calls move(register of the lane, place in the frame, bytes); predicates apart.
template <class Move, class MovePredicate>
void walk(const Warp& w, const Ins* i, const FrameLayout& f, u32 lane, std::byte* at, Move move,
          MovePredicate move_predicate) {
  const Ref* reg = i->more;
  constexpr u32 kWidths[] = {8, 4, 2};
  for (u32 k = 0; k < 3; ++k) {
    for (u32 n = 0; n < f.counts[k]; ++n, ++reg, at += kWidths[k])
      move(w.slot<std::byte>(*reg) + lane * kWidths[k], at, kWidths[k]);
  }
  for (u32 n = 0; n < f.counts[3]; ++n, ++reg, ++at) move_predicate(*w.slot<u32>(*reg), at);
}

}  // namespace

const Ins* run_frame_save(Warp& w, const Ins* i) {
  const FrameLayout f(i->imm);
  u64* stack = w.slot<u64>(i->a);
  const u32 size = w.kernel->local_bytes;
  u32 full = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    if (stack[l] + f.bytes > size) {
      full |= u32{1} << l;
      continue;
    }
    walk(
        w, i, f, l, w.local + u64{l} * size + stack[l],
        [](const std::byte* reg, std::byte* at, u32 bytes) { std::memcpy(at, reg, bytes); },
        [l](u32 bits, std::byte* at) { *at = static_cast<std::byte>(bits >> l & 1); });
    stack[l] += f.bytes;
  }
  if (full == 0) return i + 1;
  report_lazily(w, i, FaultKind::out_of_bounds, static_cast<u32>(std::countr_zero(full)), 0,
                "local", [&] {
                  return fmt::format(
                      "the stack is full: calls nested too deeply for {} bytes a "
                      "thread",
                      size);
                });
  return exit_lanes(w, full, i + 1);
}

const Ins* run_frame_restore(Warp& w, const Ins* i) {
  const FrameLayout f(i->imm);
  u64* stack = w.slot<u64>(i->a);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    stack[l] -= f.bytes;
    walk(
        w, i, f, l, w.local + u64{l} * w.kernel->local_bytes + stack[l],
        [](std::byte* reg, const std::byte* at, u32 bytes) { std::memcpy(reg, at, bytes); },
        [l](u32& bits, const std::byte* at) {
          bits = (bits & ~(u32{1} << l)) | (static_cast<u32>(*at) & 1) << l;
        });
  }
  return i + 1;
}

}  // namespace warpwright::simt
