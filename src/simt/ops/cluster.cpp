// SPDX-License-Identifier: Apache-2.0
// Clusters: shared memory of the other blocks, and the barrier of all of them.
#include <fmt/format.h>

#include <algorithm>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

constexpr u64 kOffsetMask = (u64{1} << kClusterRankShift) - 1;

/// Where the window of a generic address begins; 0 for one that is an offset already.
u64 window_of(u64 address) { return address - kSharedWindow < kWindowBytes ? kSharedWindow : 0; }

/// The block that an address names; null when the cluster has none of that rank.
BlockState* block_of(BlockState& b, u64 address) {
  const u64 rank = address >> kClusterRankShift;
  if (rank == 0 || (b.cluster == nullptr && rank == 1)) return &b;
  if (b.cluster == nullptr || rank > b.cluster->blocks.size()) return nullptr;
  return b.cluster->blocks[rank - 1];
}

void mark(Warp& w, const Ins* i, u32 lane, BlockState& b, u64 at, u32 bytes, Access kind) {
  if (!w.worker->launch->full_checks) return;
  if (kind != Access::store && !shared_written(b, at, bytes))
    report_lazily(w, i, FaultKind::uninitialised_read, lane, at, "shared", [&] {
      return fmt::format("{} bytes of shared memory of block {} of the cluster that nobody wrote",
                         bytes, b.cluster_rank);
    });
  if (kind != Access::load) set_shared_written(b, at, bytes);
  check_shared_order(w, i, lane, b, at, bytes, kind);
}

}  // namespace

void resolve_cluster(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                     Target& t) {
  t.ok = 0;
  // A store that a barrier of the other block waits for needs no other care.
  const bool visits = w.worker->launch->full_checks && (i->aux & kAwaited) == 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    BlockState* b = block_of(*w.block, a[l]);
    const u64 at = a[l] & kOffsetMask;
    if (b == nullptr || at >= b->shared_bytes || bytes > b->shared_bytes - at) {
      report_lazily(w, i, FaultKind::out_of_bounds, l, a[l], "shared", [&] {
        return b == nullptr
                   ? fmt::format("block {} of a cluster that has {}",
                                 (a[l] >> kClusterRankShift) - 1, w.worker->launch->cluster.count())
                   : fmt::format("{} of {} bytes; each block has {} bytes",
                                 kind == Access::load ? "a read" : "a write", bytes,
                                 b->shared_bytes);
      });
    } else if ((at & (bytes - 1)) != 0) {
      report_lazily(w, i, FaultKind::misaligned, l, a[l], "shared", [&] {
        return fmt::format("an access of {} bytes needs a multiple of {}", bytes, bytes);
      });
    } else {
      mark(w, i, l, *b, at, bytes, kind);
      if (visits && b != w.block) visit_block(w, i, l, *b, at);
      t.lane[l] = b->shared + at;
      t.ok |= u32{1} << l;
    }
  }
  if (!w.worker->launch->counts) return;
  AccessStats& s = w.worker->stats[i->target];
  const auto lanes = static_cast<u32>(std::popcount(t.ok));
  s.shared_requests += 1;
  s.shared_lanes += lanes;
  s.wavefronts += 1;
  s.ideal_wavefronts += 1;
}

const Ins* run_cluster_arrive(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  const bool apart = w.block->spinning[w.index].freed;
  if ((i->aux & kBarrierAligned) != 0 && m != w.live && !apart) {
    report_lazily(w, i, FaultKind::divergent_barrier, static_cast<u32>(std::countr_zero(m)), 0, "",
                  [&] {
                    return fmt::format("{} of the warp's {} threads are here", std::popcount(m),
                                       std::popcount(w.live));
                  });
  }
  ++w.worker->barriers;
  ++w.sync_epoch;
  // What came before is visible to the other blocks when they have waited.
  arrive_at_cluster_in_order(w);
  note_fence(w, true);
  w.block->cluster_arrived[w.index] |= m;
  try_release_cluster(*w.block->cluster);
  return i + 1;
}

const Ins* run_cluster_wait(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  if (m == 0) return i + 1;
  // Lanes whose arrival was taken away have been let through.
  if ((w.block->cluster_arrived[w.index] & m) == 0) return i + 1;
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.state = Split::State::at_cluster;
  s.ip = i + 1;
  return switch_split(w);
}

void try_release_cluster(Cluster& c) {
  bool anybody = false;
  for (const BlockState* b : c.blocks) {
    for (const Warp& w : b->warps) {
      const u32 arrived = b->cluster_arrived[w.index];
      if (!w.done && (w.live & ~arrived) != 0) return;
      anybody = anybody || arrived != 0;
    }
  }
  if (!anybody) return;
  ++c.phase;
  open_cluster_in_order(c);
  for (BlockState* b : c.blocks) {
    next_interval(*b);
    b->all_awaited = b->awaited != 0;
    std::fill(b->cluster_arrived.begin(), b->cluster_arrived.end(), 0);
    for (Warp& w : b->warps)
      for (Split& s : w.splits)
        if (s.state == Split::State::at_cluster) s.state = Split::State::ready;
  }
}

void report_cluster_deadlock(BlockState& b) {
  for (Warp& w : b.warps) {
    for (const Split& s : w.splits) {
      if (s.state != Split::State::at_cluster) continue;
      w.mask = s.mask;
      report(w, s.ip - 1, FaultKind::deadlock, static_cast<u32>(std::countr_zero(s.mask)), 0, "",
             "waits for threads of its cluster that never arrive");
      return;
    }
  }
}

const Ins* run_mapa(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  const u32* rank = w.slot<u32>(i->b);
  const auto mapped = [&](u64 address, u32 lane) {
    const u64 window = window_of(address);
    return window + (((address - window) & ~(u64{0xff} << kClusterRankShift)) |
                     u64{(rank[lane] + 1) & 0xff} << kClusterRankShift);
  };
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    if (i->aux == 4)
      w.slot<u32>(i->d)[l] = static_cast<u32>(mapped(w.slot<u32>(i->a)[l], l));
    else
      w.slot<u64>(i->d)[l] = mapped(w.slot<u64>(i->a)[l], l);
  }
  return i + 1;
}

const Ins* run_cluster_rank(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const u64 address = i->aux == 4 ? w.slot<u32>(i->a)[l] : w.slot<u64>(i->a)[l];
    const u64 rank = (address - window_of(address)) >> kClusterRankShift & 0xff;
    w.slot<u32>(i->d)[l] = rank == 0 ? w.block->cluster_rank : static_cast<u32>(rank - 1);
  }
  return i + 1;
}

}  // namespace warpwright::simt
