// SPDX-License-Identifier: Apache-2.0
// Barriers of a block.
#include <fmt/format.h>

#include "simt/checks/order.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {

void try_release(BlockState& b, std::uint32_t number) {
  Barrier& bar = b.barriers[number];
  const bool whole = bar.expected == 0;
  if (bar.arrived == 0) return;
  if (whole ? bar.arrived < b.live_threads : bar.counted < bar.expected) return;
  bar.arrived = bar.counted = 0;
  b.waiting &= ~(1u << number);
  bar.first = nullptr;
  bar.result_popc = bar.popc;
  bar.result_all = bar.popc == bar.seen;
  bar.popc = bar.seen = 0;
  bar.expected = 0;
  ++bar.phase;
  open_in_order(b, bar, number);
  b.all_awaited = b.awaited != 0;
  if (whole) next_interval(b);
  for (Warp& w : b.warps) {
    for (Split& s : w.splits)
      if (s.state == Split::State::at_barrier && s.barrier == number) s.state = Split::State::ready;
  }
}

namespace {

/// A barrier of the whole block is to be the same one for all of it. Copies that the compiler made
/// of one line count as one.
void report_mismatch(Warp& w, const Ins* i, const Barrier& bar, std::uint32_t lane) {
  const SourceLine& here = w.kernel->info[i->id].source;
  const SourceLine& there = w.kernel->info[bar.first->id].source;
  if (here.line != 0 && here.line == there.line && here.file == there.file) return;
  report_lazily(w, i, FaultKind::barrier_mismatch, lane, 0, "", [&] {
    return fmt::format("warp {} is here while others of the block wait at the barrier of {}",
                       w.index, place_of(w, bar.first));
  });
}

/// What an arrival adds to a count of threads: PTX counts whole warps, also where the block ends
/// within one or lanes have exited. Of lanes that come apart, the first brings those along.
std::uint32_t counted_arrival(const Warp& w, std::uint32_t m) {
  const std::uint32_t first_live = w.live & ~(w.live - 1);
  return static_cast<std::uint32_t>(std::popcount(m)) +
         ((m & first_live) != 0 ? kLanes - static_cast<std::uint32_t>(std::popcount(w.live)) : 0);
}

/// PTX asks for one count, of whole warps, from all who come to a barrier.
void check_count(Warp& w, const Ins* i, const Barrier& bar, std::uint32_t count,
                 std::uint32_t lane) {
  const auto warps = static_cast<std::uint32_t>(w.block->warps.size());
  const std::uint32_t all = warps * kLanes;
  const auto complain = [&](auto text) {
    report_lazily(w, i, FaultKind::barrier_count, lane, 0, "", text);
  };
  if (count % kLanes != 0)
    return complain([&] {
      return fmt::format("a count of {} threads, which is no multiple of {}", count, kLanes);
    });
  if (count > all)
    return complain(
        [&] { return fmt::format("a count of {} threads in a block of {}", count, all); });
  if (bar.arrived == 0) return;
  const std::uint32_t mine = count == 0 ? all : count;
  const std::uint32_t theirs = bar.expected == 0 ? all : bar.expected;
  if (mine != theirs)
    complain([&] {
      return fmt::format("a count of {} threads, while those who wait at {} expect {}", mine,
                         place_of(w, bar.first), theirs);
    });
}

}  // namespace

const Ins* run_barrier(Warp& w, const Ins* i) {
  const std::uint32_t m = w.lanes(i);
  if (m == 0) return i + 1;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(m));
  const std::uint32_t number = w.slot<std::uint32_t>(i->a)[first] & 15;
  const std::uint32_t count = w.slot<std::uint32_t>(i->b)[first];
  const auto form = static_cast<BarrierForm>(i->aux & 15);
  // Lanes that were let past a spinning one come here apart by our doing, not the kernel's.
  const bool apart = w.block->spinning[w.index].freed;
  if ((i->aux & kBarrierAligned) != 0 && m != w.live && !apart) {
    report_lazily(w, i, FaultKind::divergent_barrier, first, 0, "", [&] {
      const auto absent = static_cast<std::uint32_t>(std::countr_zero(w.live & ~m));
      return fmt::format("{} of the warp's {} threads are here; lane {}, for one, is not",
                         std::popcount(m), std::popcount(w.live), absent);
    });
  }
  ++w.worker->barriers;
  Barrier& bar = w.block->barriers[number];
  check_count(w, i, bar, count, first);
  if (count != 0) bar.expected = count;
  if (bar.first == nullptr) bar.first = i;
  if (bar.first != i && bar.expected == 0 && form != BarrierForm::arrive && m == w.live)
    report_mismatch(w, i, bar, first);
  bar.arrived += static_cast<std::uint32_t>(std::popcount(m));
  bar.counted += counted_arrival(w, m);
  w.block->waiting |= 1u << number;
  w.block->used_barriers = true;
  if (form >= BarrierForm::red_popc) {
    bar.seen += static_cast<std::uint32_t>(std::popcount(m));
    bar.popc += static_cast<std::uint32_t>(std::popcount(m & w.predicate(i->c)));
  }
  ++w.sync_epoch;
  arrive_in_order(w, bar);
  if (form == BarrierForm::arrive) {
    try_release(*w.block, number);
    return i + 1;
  }
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.state = Split::State::at_barrier;
  s.barrier = static_cast<std::uint8_t>(number);
  s.ip = i + 1;
  try_release(*w.block, number);
  return switch_split(w);
}

const Ins* run_barrier_result(Warp& w, const Ins* i) {
  const std::uint32_t m = w.lanes(i);
  const std::uint32_t number = w.slot<std::uint32_t>(i->a)[std::countr_zero(m | 0x80000000u)] & 15;
  const Barrier& bar = w.block->barriers[number];
  const auto form = static_cast<BarrierForm>(i->aux);
  if (form == BarrierForm::red_popc) {
    auto* d = w.slot<std::uint32_t>(i->d);
    for (std::uint32_t l = 0; l < kLanes; ++l)
      if ((m >> l & 1) != 0) d[l] = bar.result_popc;
    return i + 1;
  }
  const bool yes = form == BarrierForm::red_and ? bar.result_all : bar.result_popc != 0;
  auto* d = w.slot<std::uint32_t>(i->d);
  *d = (*d & ~m) | (yes ? m : 0);
  return i + 1;
}

}  // namespace warpwright::simt
