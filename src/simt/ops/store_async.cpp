// SPDX-License-Identifier: Apache-2.0
// st.async: stores to shared memory of any block of the cluster. They appear when somebody looks
// at the mbarrier that counts their bytes, as those of bulk copies do.
#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/mbarrier.h"

namespace warpwright::simt {
namespace {

/// The rank of the block that an address of shared memory names.
u64 rank_of(const Warp& w, u64 address) {
  const u64 rank = address >> kClusterRankShift;
  return rank == 0 ? w.block->cluster_rank : rank - 1;
}

/// Whether a store to `to` may report to the mbarrier at `barrier`.
bool fits(Warp& w, const Ins* i, u32 lane, u64 to, u64 address, const std::byte* barrier) {
  const char* what = nullptr;
  if (rank_of(w, to) != rank_of(w, address))
    what = "a store to one block of the cluster with an mbarrier in another";
  else if (!is_mbarrier(barrier))
    what = "an mbarrier that nobody initialised";
  if (what == nullptr) return true;
  report_lazily(w, i, FaultKind::deadlock, lane, address, "shared",
                [&] { return std::string(what); });
  return false;
}

}  // namespace

const Ins* run_store_async(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const u32 elements = i->aux >> 8 & 255, width = i->aux >> 16, bytes = elements * width;
  const s64 window = (i->aux & kStoreGeneric) != 0 ? static_cast<s64>(kSharedWindow) : 0;
  u64 to[kLanes], barrier[kLanes];
  lane_addresses(w, i->a, (i->aux & kStoreNarrowTo) != 0, i->imm - window, to);
  lane_addresses(w, i->c, (i->aux & kStoreNarrowBarrier) != 0, static_cast<s32>(i->aux2) - window,
                 barrier);
  // The flags of plain accesses mean something else here.
  Ins plain = *i;
  plain.aux = kAwaited;
  Target t, b;
  resolve_shared(w, &plain, to, m, bytes, Access::store, t);
  if (t.ok == 0) return i + 1;
  resolve_shared(w, &plain, barrier, t.ok, 8, Access::atomic, b);
  AsyncArrival arrival;
  arrival.block = w.block;
  arrival.bytes = bytes;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((b.ok >> l & 1) == 0 || !fits(w, i, l, to[l], barrier[l], b.lane[l])) continue;
    arrival.lanes |= u32{1} << l;
    arrival.barrier[l] = b.lane[l];
    arrive_at_word(w, b.lane[l]);
    AsyncStore& store = arrival.stores.emplace_back();
    store.to = t.lane[l];
    store.bytes = static_cast<std::uint8_t>(bytes);
    for (u32 k = 0; k < elements; ++k) {
      const Ref from = i->more[k];
      const void* value = width == 4 ? static_cast<const void*>(w.slot<u32>(from) + l)
                                     : static_cast<const void*>(w.slot<u64>(from) + l);
      std::memcpy(store.data.data() + k * width, value, width);
    }
  }
  if (arrival.lanes != 0) pending_arrivals(*w.block).push_back(std::move(arrival));
  return i + 1;
}

}  // namespace warpwright::simt
