// SPDX-License-Identifier: Apache-2.0
// cp.async: data are read when the copy is issued and appear in shared memory when the thread
// waits for it. Using them earlier reads the old content, as it may on hardware.
#include <algorithm>
#include <cstring>

#include "simt/access.h"
#include "simt/handlers.h"
#include "simt/mbarrier.h"

namespace warpwright::simt {
namespace {

std::vector<PendingCopy>& open_group(Warp& w) {
  auto& groups = w.block->copies[w.index];
  w.block->copied = true;
  if (groups.empty()) groups.emplace_back();
  return groups.back();
}

void apply(const BlockState& b, const PendingCopy& c) {
  for (u32 l = 0; l < kLanes; ++l)
    if ((c.lanes >> l & 1) != 0) std::memcpy(b.shared + c.to[l], c.data[l].data(), c.bytes);
}

}  // namespace

const Ins* run_copy_async(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const u32 bytes = i->aux >> 8;
  u64 to[kLanes], from[kLanes];
  lane_addresses(w, i->a, (i->aux & 1) != 0, static_cast<s32>(i->aux2), to);
  lane_addresses(w, i->b, (i->aux & 2) != 0, i->imm, from);
  const u32* size = w.slot<u32>(i->c);
  u32 reading = 0;
  for (u32 l = 0; l < kLanes; ++l)
    if ((m >> l & 1) != 0 && size[l] != 0) reading |= u32{1} << l;
  // The flags of plain accesses mean something else here.
  Ins plain = *i;
  plain.aux = 0;
  PendingCopy copy;
  copy.bytes = static_cast<std::uint8_t>(bytes);
  Target t;
  if (reading != 0) resolve_global(w, &plain, from, reading, bytes, Access::load, t);
  Target s;
  resolve_shared(w, &plain, to, m, bytes, Access::store, s);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((s.ok >> l & 1) == 0) continue;
    copy.lanes |= u32{1} << l;
    copy.to[l] = static_cast<u32>(to[l]);
    if ((reading >> l & 1) == 0 || (t.ok >> l & 1) == 0) continue;
    const std::byte* p = t.lane[l];
    std::memcpy(copy.data[l].data(), p, std::min(bytes, size[l]));
  }
  open_group(w).push_back(copy);
  return i + 1;
}

const Ins* run_copy_commit(Warp& w, const Ins* i) {
  open_group(w);
  w.block->copies[w.index].emplace_back();
  return i + 1;
}

/// cp.async.mbarrier.arrive: takes the copies of the lanes out of their groups; they report to
/// the barrier now.
const Ins* run_copy_arrive(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  u64 a[kLanes];
  lane_addresses(w, i->a, (i->aux & 1) != 0, i->imm, a);
  Target t;
  Ins plain = *i;
  plain.aux = 0;
  resolve_shared(w, &plain, a, m, 8, Access::atomic, t);
  AsyncArrival arrival;
  arrival.block = w.block;
  arrival.lanes = t.ok;
  std::copy(std::begin(t.lane), std::end(t.lane), arrival.barrier);
  for (auto& group : w.block->copies[w.index]) {
    for (PendingCopy& c : group) {
      if ((c.lanes & m) == 0) continue;
      arrival.copies.push_back(c);
      arrival.copies.back().lanes &= m;
      c.lanes &= ~m;
    }
  }
  if ((i->aux & 2) != 0) expect_arrivals(w, i, arrival);
  w.block->arrivals.push_back(std::move(arrival));
  return i + 1;
}

void finish_arrivals(BlockState& b) {
  const auto finish = [](std::vector<AsyncArrival>& list) {
    for (const AsyncArrival& a : list) {
      for (const PendingCopy& c : a.copies) apply(*a.block, c);
      if (a.bulk_to != nullptr) std::memcpy(a.bulk_to, a.bulk.data(), a.bulk.size());
      for (const AsyncStore& s : a.stores) std::memcpy(s.to, s.data.data(), s.bytes);
      make_arrivals(a);
    }
    list.clear();
  };
  finish(b.arrivals);
  if (b.cluster == nullptr) return;
  finish(b.cluster->arrivals);
  for (BlockState* other : b.cluster->blocks) finish(other->arrivals);
}

void finish_copies(Warp& w, std::size_t open, bool all) {
  auto& groups = w.block->copies[w.index];
  // The last group is still being filled; it counts only for wait_all.
  while (!groups.empty() && (all || groups.size() > open + 1)) {
    for (const PendingCopy& c : groups.front()) apply(*w.block, c);
    groups.pop_front();
  }
}

const Ins* run_copy_wait(Warp& w, const Ins* i) {
  finish_arrivals(*w.block);
  finish_copies(w, static_cast<std::size_t>(i->imm), i->aux != 0);
  return i + 1;
}

}  // namespace warpwright::simt
