// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk without tensors. Data are read when the copy is issued. In shared memory they
// appear when somebody looks at the mbarrier that counts them; in global memory at once.
#include <algorithm>
#include <cstring>

#include "simt/checks/order.h"
#include "simt/ops/bulk_copy.h"
#include "simt/ops/mbarrier.h"

namespace warpwright::simt {

std::byte* resolve_run(Warp& w, const Ins* i, u32 lane, u64 at, u32 bytes, Access kind, bool shared,
                       u32 piece) {
  u64 a[kLanes] = {};
  Target t;
  const auto resolve = [&](u32 m) {
    if (shared)
      resolve_shared(w, i, a, m, piece, kind, t);
    else
      resolve_global(w, i, a, m, piece, kind, t);
    return t.ok == m;
  };
  // Both ends for the thread that asked, so that a fault names it.
  const u32 mine = u32{1} << lane;
  a[lane] = at + bytes - piece;
  if (!resolve(mine)) return nullptr;
  a[lane] = at;
  if (!resolve(mine)) return nullptr;
  std::byte* const first = t.lane[lane];
  for (u32 done = 0; done < bytes; done += kLanes * piece) {
    const u32 pieces = std::min<u32>((bytes - done) / piece, kLanes);
    for (u32 l = 0; l < pieces; ++l) a[l] = at + done + u64{l} * piece;
    if (!resolve(pieces == kLanes ? kAllLanes : (u32{1} << pieces) - 1)) return nullptr;
  }
  return first;
}

void send(Warp& w, const Ins* i, u32 lane, const std::byte* source, u32 bytes, u64 to,
          u64 barrier) {
  std::byte* target = resolve_run(w, i, lane, to, bytes, Access::store, true);
  if (target == nullptr) return;
  u64 a[kLanes] = {};
  a[lane] = barrier;
  Target t;
  resolve_shared(w, i, a, u32{1} << lane, 8, Access::atomic, t);
  AsyncArrival arrival;
  arrival.block = w.block;
  arrival.lanes = t.ok;
  arrival.barrier[lane] = t.lane[lane];
  arrival.bulk.assign(source, source + bytes);
  arrival.bulk_to = target;
  arrival.bytes = bytes;
  if (t.ok != 0) arrive_at_word(w, t.lane[lane]);
  pending_arrivals(*w.block).push_back(std::move(arrival));
}

u64 in_block(u64 address, u32 rank) {
  return (address & ((u64{1} << kClusterRankShift) - 1)) | u64{rank + 1} << kClusterRankShift;
}

const Ins* run_copy_bulk(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  u64 to[kLanes], from[kLanes], barrier[kLanes];
  lane_addresses(w, i->a, (i->aux & kBulkNarrowTo) != 0, i->imm, to);
  lane_addresses(w, i->b, (i->aux & kBulkNarrowFrom) != 0, static_cast<s32>(i->aux2), from);
  const bool to_shared = (i->aux & kBulkToShared) != 0;
  if (to_shared) lane_addresses(w, i->more[0], (i->aux & kBulkNarrowBarrier) != 0, 0, barrier);
  const u32* sizes = w.slot<u32>(i->c);
  Ins plain = *i;
  plain.aux = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const u32 bytes = sizes[l];
    if (bytes % kBulkPiece != 0) {
      report(w, i, FaultKind::misaligned, l, to[l], to_shared ? "shared" : "global",
             "a bulk copy of a number of bytes that is not a multiple of 16");
      continue;
    }
    if (bytes == 0) continue;
    const bool from_shared = (i->aux & kBulkFromShared) != 0;
    const std::byte* source = resolve_run(w, &plain, l, from[l], bytes, Access::load, from_shared);
    if (!to_shared) {
      std::byte* target = resolve_run(w, &plain, l, to[l], bytes, Access::store, false);
      if (source != nullptr && target != nullptr) std::memcpy(target, source, bytes);
    } else if (source == nullptr) {
      continue;
    } else if ((i->aux & kBulkMulticast) == 0) {
      send(w, &plain, l, source, bytes, to[l], barrier[l]);
    } else {
      const u32 blocks = w.slot<u16>(i->more[1])[l];
      for (u32 left = blocks; left != 0; left &= left - 1) {
        const auto rank = static_cast<u32>(std::countr_zero(left));
        send(w, &plain, l, source, bytes, in_block(to[l], rank), in_block(barrier[l], rank));
      }
    }
  }
  return i + 1;
}

}  // namespace warpwright::simt
