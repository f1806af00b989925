// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory on which threads and asynchronous copies arrive. The 64 bits are opaque
// to programs: arrivals still expected, arrivals of a whole phase, bytes still expected, the phase.
#include "simt/ops/mbarrier.h"

#include <fmt/format.h>

#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr u64 kCountMask = (u64{1} << 20) - 1;
constexpr u64 kMarkMask = u64{3} << 61, kMark = u64{2} << 61;

struct Barrier64 {
  u32 pending = 0, expected = 0;
  s32 bytes = 0;
  bool phase = false;
  bool valid = false;

  static Barrier64 read(const std::byte* at) {
    u64 word = 0;
    std::memcpy(&word, at, sizeof word);
    Barrier64 b;
    b.pending = word & kCountMask;
    b.expected = word >> 20 & kCountMask;
    // Bytes are kept with an offset of 2^20, so that they may go below zero for a moment.
    b.bytes = static_cast<s32>(word >> 40 & ((u64{1} << 21) - 1)) - (1 << 20);
    b.phase = word >> 63 != 0;
    b.valid = (word & kMarkMask) == kMark;
    return b;
  }
  [[nodiscard]] u64 word() const {
    return pending | u64{expected} << 20 | static_cast<u64>(bytes + (1 << 20)) << 40 |
           (valid ? kMark : 0) | (phase ? u64{1} << 63 : 0);
  }
  void write(std::byte* at) const {
    const u64 value = word();
    std::memcpy(at, &value, sizeof value);
  }
  /// A phase ends when nobody and nothing is expected any more.
  void settle() {
    if (pending != 0 || bytes != 0) return;
    phase = !phase;
    pending = expected;
  }
  void arrive(u32 count) {
    pending -= std::min(pending, count);
    settle();
  }
};

void complain(Warp& w, const Ins* i, u32 lane, u64 address, const char* what) {
  report_lazily(w, i, FaultKind::deadlock, lane, address, "shared",
                [&] { return std::string(what); });
}

bool in_range(u32 count) { return count != 0 && count <= kCountMask; }

/// Whether the operation made sense.
bool apply(MbarrierForm form, Barrier64& b, u32 operand) {
  switch (form) {
    case MbarrierForm::init:
      b = {operand, operand, 0, false, true};
      return in_range(operand);
    case MbarrierForm::invalidate:
      b = {};
      return true;
    case MbarrierForm::arrive:
    case MbarrierForm::arrive_drop:
      if (operand > b.pending) return false;
      if (form == MbarrierForm::arrive_drop) b.expected -= std::min(b.expected, operand);
      b.arrive(operand);
      return true;
    case MbarrierForm::expect:
      b.bytes += static_cast<s32>(operand);
      return operand <= kCountMask;
    case MbarrierForm::complete:
      b.bytes -= static_cast<s32>(operand);
      b.settle();
      return operand <= kCountMask;
    case MbarrierForm::arrive_expect:
    case MbarrierForm::drop_expect:
      if (b.pending == 0) return false;
      b.bytes += static_cast<s32>(operand);
      if (form == MbarrierForm::drop_expect) b.expected -= std::min(b.expected, 1u);
      b.arrive(1);
      return operand <= kCountMask;
    default:
      return false;
  }
}

Target barriers_of(Warp& w, const Ins* i, u32 m, Access kind) {
  u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & 256) != 0, i->imm, a);
  Ins plain = *i;
  plain.aux = 0;
  Target t;
  resolve_shared(w, &plain, a, m, 8, kind, t);
  return t;
}

}  // namespace

const Ins* run_mbarrier(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const auto form = static_cast<MbarrierForm>(i->aux & 255);
  const bool fresh = form == MbarrierForm::init;
  const Target t = barriers_of(w, i, m, fresh ? Access::store : Access::atomic);
  const u32* operand = w.slot<u32>(i->b);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((t.ok >> l & 1) == 0) continue;
    Barrier64 b = Barrier64::read(t.lane[l]);
    if (!fresh && !b.valid) {
      complain(w, i, l, 0, "an mbarrier that nobody initialised");
      continue;
    }
    if ((i->aux & 512) != 0) w.slot<u64>(i->d)[l] = b.word();
    if (!fresh) arrive_at_word(w, t.lane[l]);
    if (!apply(form, b, operand[l]))
      complain(w, i, l, 0,
               fresh ? "an mbarrier with a count of 0 or above 1048575"
                     : "more arrivals or bytes than the mbarrier's phase expects");
    const bool ended = !fresh && b.phase != Barrier64::read(t.lane[l]).phase;
    b.write(t.lane[l]);
    if (ended) end_phase(*w.worker->launch, *w.block, t.lane[l]);
  }
  return i + 1;
}

const Ins* run_mbarrier_test(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  finish_arrivals(*w.block);
  const Target t = barriers_of(w, i, m, Access::atomic);
  const bool parity = static_cast<MbarrierForm>(i->aux & 255) == MbarrierForm::test_parity;
  u32 done = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((t.ok >> l & 1) == 0) continue;
    const Barrier64 b = Barrier64::read(t.lane[l]);
    const bool waits_for = parity ? (w.slot<u32>(i->b)[l] & 1) != 0 : w.slot<u64>(i->b)[l] >> 63;
    if (!b.valid) complain(w, i, l, 0, "an mbarrier that nobody initialised");
    if (b.phase != waits_for || !b.valid) done |= u32{1} << l;
    if ((done >> l & 1) != 0) learn_from_word(w, t.lane[l]);
  }
  done |= m & ~t.ok;
  u32* d = w.slot<u32>(i->d);
  *d = (*d & ~m) | (done & m);
  // Who has waited for the others of the warp is behind what they did.
  if ((done & m) != 0) ++w.sync_epoch;
  if ((done & m) == m) return i + 1;
  // Somebody else has to come: let them.
  w.block->spinning[w.index].asked = true;
  return run_yield(w, i);
}

const Ins* run_mbarrier_pending(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  for (u32 l = 0; l < kLanes; ++l)
    if ((m >> l & 1) != 0) w.slot<u32>(i->d)[l] = w.slot<u64>(i->a)[l] & kCountMask;
  return i + 1;
}

void expect_arrivals(Warp& w, const Ins* i, const AsyncArrival& arrival) {
  for (u32 l = 0; l < kLanes; ++l) {
    if ((arrival.lanes >> l & 1) == 0) continue;
    Barrier64 b = Barrier64::read(arrival.barrier[l]);
    if (!b.valid || b.pending == kCountMask)
      complain(w, i, l, 0, "an mbarrier that nobody initialised, or that is full");
    b.pending = static_cast<u32>((b.pending + 1) & kCountMask);
    b.write(arrival.barrier[l]);
  }
}

bool is_mbarrier(const std::byte* at) { return Barrier64::read(at).valid; }

void make_arrivals(const AsyncArrival& arrival) {
  for (u32 l = 0; l < kLanes; ++l) {
    if ((arrival.lanes >> l & 1) == 0) continue;
    Barrier64 b = Barrier64::read(arrival.barrier[l]);
    const bool phase = b.phase;
    if (arrival.bytes == 0) {
      b.arrive(1);
    } else {
      b.bytes -= static_cast<s32>(arrival.bytes);
      b.settle();
    }
    b.write(arrival.barrier[l]);
    if (b.phase != phase)
      end_phase(*arrival.block->warps.front().worker->launch, *arrival.block, arrival.barrier[l]);
  }
}

}  // namespace warpwright::simt
