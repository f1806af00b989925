// SPDX-License-Identifier: Apache-2.0
// cp.async: data are read when the copy is issued and appear in shared memory when the thread
// waits for it. Using them earlier reads the old content, as it may on hardware.
#include <algorithm>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/handlers.h"
#include "simt/ops/mbarrier.h"

namespace warpwright::simt {
namespace {

std::vector<PendingCopy>& open_group(Warp& w) {
  auto& groups = w.block->copies[w.index];
  w.block->copied = true;
  if (groups.empty()) groups.emplace_back();
  return groups.back();
}

void apply(const BlockState& b, const PendingCopy& c, u32 lanes = kAllLanes) {
  for (u32 l = 0; l < kLanes; ++l)
    if ((c.lanes & lanes) >> l & 1) std::memcpy(b.shared + c.to[l], c.data[l].data(), c.bytes);
}

/// Lanes whose source is aligned as the copy; the others are reported.
u32 aligned_lanes(Warp& w, const Ins* i, const u64* from, u32 m, u32 bytes) {
  u32 fine = m;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0 || (from[l] & (bytes - 1)) == 0) continue;
    report_misaligned(w, i, l, from[l], bytes, "global");
    fine &= ~(u32{1} << l);
  }
  return fine;
}

/// Lanes that read less than they copy: only those bytes need to be there. They are read in pieces
/// of 8, 4, 2 and 1 bytes, each of which is aligned because the whole is; the lanes that got all.
u32 read_parts(Warp& w, const Ins* i, const u64* from, const u32* size, u32 m, PendingCopy& copy) {
  u32 good = m;
  for (u32 piece = 8; piece != 0; piece /= 2) {
    u64 at[kLanes];
    u32 lanes = 0, offset[kLanes] = {};
    for (u32 l = 0; l < kLanes; ++l) {
      offset[l] = size[l] & ~(2 * piece - 1);
      at[l] = from[l] + offset[l];
      if ((good >> l & 1) != 0 && (size[l] & piece) != 0) lanes |= u32{1} << l;
    }
    if (lanes == 0) continue;
    Target t;
    resolve_global(w, i, at, lanes, piece, Access::load, t);
    for (u32 l = 0; l < kLanes; ++l)
      if ((t.ok & lanes) >> l & 1) std::memcpy(copy.data[l].data() + offset[l], t.lane[l], piece);
    good &= t.ok | ~lanes;
  }
  return good;
}

/// Reads what the lanes copy, `size` bytes each; the rest stays zero. One request, whatever the
/// pieces.
void read_sources(Warp& w, const Ins* i, const u64* from, const u32* size, u32 bytes, u32 m,
                  PendingCopy& copy) {
  u32 whole = 0, parts = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0 || size[l] == 0) continue;
    (size[l] >= bytes ? whole : parts) |= u32{1} << l;
  }
  AccessStats& stats = w.worker->stats[i->target];
  const AccessStats before = stats;
  Target t;
  if (whole != 0) resolve_global(w, i, from, whole, bytes, Access::load, t);
  for (u32 l = 0; l < kLanes; ++l)
    if ((t.ok & whole) >> l & 1) std::memcpy(copy.data[l].data(), t.lane[l], bytes);
  if (parts == 0) return;
  const u32 good =
      (t.ok & whole) | read_parts(w, i, from, size, aligned_lanes(w, i, from, parts, bytes), copy);
  if (!w.worker->launch->counts || good == 0) return;
  const u64 moved = stats.bytes - before.bytes;
  stats = before;
  stats.requests += 1;
  stats.lanes += static_cast<u32>(std::popcount(good));
  stats.bytes += moved;
  stats.sectors += count_sectors(from, good);
}

}  // namespace

const Ins* run_copy_async(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const u32 bytes = i->aux >> 8;
  u64 to[kLanes], from[kLanes];
  lane_addresses(w, i->a, (i->aux & 1) != 0, static_cast<s32>(i->aux2), to);
  lane_addresses(w, i->b, (i->aux & 2) != 0, i->imm, from);
  // The flags of plain accesses mean something else here.
  Ins plain = *i;
  plain.aux = 0;
  PendingCopy copy;
  copy.bytes = static_cast<std::uint8_t>(bytes);
  read_sources(w, &plain, from, w.slot<u32>(i->c), bytes, m, copy);
  Target s;
  resolve_shared(w, &plain, to, m, bytes, Access::store, s);
  copy.lanes = s.ok;
  for (u32 l = 0; l < kLanes; ++l) copy.to[l] = static_cast<u32>(to[l]);
  open_group(w).push_back(copy);
  return i + 1;
}

const Ins* run_copy_commit(Warp& w, const Ins* i) {
  if (w.lanes(i) == 0) return i + 1;
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
  for (u32 l = 0; l < kLanes; ++l)
    if ((t.ok >> l & 1) != 0) arrive_at_word(w, t.lane[l]);
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

namespace {

/// Applies the lanes' copies of all groups but the last `open`; the group that is still being
/// filled counts only for wait_all.
void finish_copies(Warp& w, std::size_t open, bool all, u32 lanes) {
  auto& groups = w.block->copies[w.index];
  const std::size_t kept = all ? 0 : open + 1;
  const std::size_t done = groups.size() > kept ? groups.size() - kept : 0;
  for (std::size_t g = 0; g < done; ++g) {
    for (PendingCopy& c : groups[g]) {
      apply(*w.block, c, lanes);
      c.lanes &= ~lanes;
    }
    std::erase_if(groups[g], [](const PendingCopy& c) { return c.lanes == 0; });
  }
  // Groups with copies that other lanes have not waited for stay, and all behind them: those lanes
  // count how many came after.
  for (std::size_t g = 0; g < done && groups.front().empty(); ++g) groups.pop_front();
}

}  // namespace

const Ins* run_copy_wait(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  finish_arrivals(*w.block);
  finish_copies(w, static_cast<std::size_t>(i->imm), i->aux != 0, m);
  return i + 1;
}

}  // namespace warpwright::simt
