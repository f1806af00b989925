// SPDX-License-Identifier: Apache-2.0
// The life of a block: its memory, its warps, and what to say when it cannot go on.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/checks/order.h"
#include "simt/isa/numbers.h"
#include "simt/schedule/stuck_lanes.h"
#include "simt/schedule/wavefronts.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

constexpr std::uint32_t kSharedUnit = 128;

std::uint64_t cluster_value(const LaunchState& s, const BlockState& b, Constant::Kind kind) {
  const Dim3 size = s.cluster, grid = s.launch->grid, at = b.index;
  using K = Constant::Kind;
  switch (kind) {
    case K::cluster_x:
      return size.x;
    case K::cluster_y:
      return size.y;
    case K::cluster_z:
      return size.z;
    case K::cluster_blocks:
      return size.count();
    case K::in_cluster_x:
      return at.x % size.x;
    case K::in_cluster_y:
      return at.y % size.y;
    case K::in_cluster_z:
      return at.z % size.z;
    case K::in_cluster_rank:
      return b.cluster_rank;
    case K::clusterid_x:
      return at.x / size.x;
    case K::clusterid_y:
      return at.y / size.y;
    case K::clusterid_z:
      return at.z / size.z;
    case K::nclusterid_x:
      return grid.x / size.x;
    case K::nclusterid_y:
      return grid.y / size.y;
    case K::nclusterid_z:
      return grid.z / size.z;
    case K::is_cluster:
      return size.count() > 1 ? kAllLanes : 0;
    default:
      return 0;
  }
}

std::uint64_t constant_value(const LaunchState& s, const BlockState& b, const Constant& c) {
  const Launch& l = *s.launch;
  using K = Constant::Kind;
  switch (c.kind) {
    case K::bits:
      return c.value;
    case K::param: {
      std::uint64_t bits = 0;
      std::memcpy(&bits, l.params.data() + c.value, c.extent);
      if (c.is_signed && c.extent < 8) {
        const unsigned shift = 64 - 8 * c.extent;
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
      }
      return bits;
    }
    case K::global:
      return s.symbols[c.symbol] + c.value;
    case K::dynamic_shared: {
      const std::uint32_t align = s.kernel->dynamic_shared_align;
      return (s.kernel->static_shared_bytes + align - 1) / align * align + c.value;
    }
    case K::ctaid_x:
      return b.index.x;
    case K::ctaid_y:
      return b.index.y;
    case K::ctaid_z:
      return b.index.z;
    case K::nctaid_x:
      return l.grid.x;
    case K::nctaid_y:
      return l.grid.y;
    case K::nctaid_z:
      return l.grid.z;
    case K::ntid_x:
      return l.block.x;
    case K::ntid_y:
      return l.block.y;
    case K::ntid_z:
      return l.block.z;
    case K::block_rank:
      return b.rank;
    case K::dynamic_shared_bytes:
      return l.dynamic_shared_bytes;
    case K::total_shared_bytes:
      // Hardware gives it out in units.
      return (b.shared_bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
    case K::warps_per_block:
      return (l.block.count() + kLanes - 1) / kLanes;
    default:
      return cluster_value(s, b, c.kind);
  }
}

void fill(std::byte* at, std::uint8_t width, std::uint64_t value) {
  const auto all = [&]<class T>(T v, u32 count) {
    T* to = reinterpret_cast<T*>(at);
    for (u32 l = 0; l < count; ++l) to[l] = v;
  };
  if (width == 2)
    all(static_cast<u16>(value), kLanes);
  else if (width == 8)
    all(value, kLanes);
  else
    all(static_cast<u32>(value), width == 0 ? 1 : kLanes);
}

bool changes_with_block(Constant::Kind k) {
  using K = Constant::Kind;
  return k == K::ctaid_x || k == K::ctaid_y || k == K::ctaid_z || k == K::block_rank ||
         (k >= K::in_cluster_x && k <= K::clusterid_z);
}

void fill_specials(Warp& w) {
  const Kernel& k = *w.kernel;
  for (std::size_t s = 0; s < static_cast<std::size_t>(LaneSpecial::count_); ++s) {
    if (!k.uses_lane_special[s]) continue;
    u32* d = w.slot<u32>(k.lane_special_ref[s]);
    for (u32 l = 0; l < kLanes; ++l) {
      const Dim3 t = thread_of(w, l);
      const u32 bit = u32{1} << l;
      switch (static_cast<LaneSpecial>(s)) {
        case LaneSpecial::tid_x:
          d[l] = t.x;
          break;
        case LaneSpecial::tid_y:
          d[l] = t.y;
          break;
        case LaneSpecial::tid_z:
          d[l] = t.z;
          break;
        case LaneSpecial::laneid:
          d[l] = l;
          break;
        case LaneSpecial::warpid:
          d[l] = w.index;
          break;
        case LaneSpecial::lanemask_eq:
          d[l] = bit;
          break;
        case LaneSpecial::lanemask_lt:
          d[l] = bit - 1;
          break;
        case LaneSpecial::lanemask_le:
          d[l] = bit | (bit - 1);
          break;
        case LaneSpecial::lanemask_gt:
          d[l] = ~(bit | (bit - 1));
          break;
        case LaneSpecial::lanemask_ge:
          d[l] = ~(bit - 1);
          break;
        default:
          break;
      }
    }
  }
}

/// Lays out registers, constants, shared and local memory once; blocks reuse it.
void make_storage(Worker& worker, BlockState& b) {
  LaunchState& s = *worker.launch;
  const Kernel& k = *worker.kernel;
  const std::size_t warps = (s.launch->block.count() + kLanes - 1) / kLanes;
  const auto round = [](std::size_t n) { return (n + 63) / 64 * 64; };
  b.shared_bytes = s.shared_bytes();
  const std::size_t registers = round(k.register_bytes) * warps;
  const std::size_t constants = round(k.constant_bytes);
  const std::size_t local = round(std::size_t{k.local_bytes} * kLanes) * warps;
  const std::size_t kept = worker.native == nullptr ? 0 : round(16 * k.places.size()) * warps;
  b.storage.assign(registers + constants + local + round(b.shared_bytes) + kept + 128,
                   std::byte{0});
  auto* base = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(b.storage.data()) + 63) / 64 * 64);
  std::byte* constant_base = base + registers;
  std::byte* local_base = constant_base + constants;
  b.shared = local_base + local;
  b.warps.resize(warps);
  b.copies.resize(warps);
  b.spinning.resize(warps);
  b.cluster_arrived.resize(warps);
  for (std::size_t i = 0; i < warps; ++i) {
    Warp& w = b.warps[i];
    w.base[0] = base + round(k.register_bytes) * i;
    w.base[1] = constant_base;
    w.local = local_base + round(std::size_t{k.local_bytes} * kLanes) * i;
    w.kernel = &k;
    w.counts = worker.counts.data();
    w.worker = &worker;
    w.block = &b;
    w.index = static_cast<u32>(i);
    w.shared = b.shared;
    w.shared_bytes = b.shared_bytes;
    w.native = worker.native.get();
    w.simple = worker.simple.data();
    w.extents = worker.extents.data();
    w.full_checks = s.full_checks;
    w.kept = reinterpret_cast<u64*>(b.shared + round(b.shared_bytes) + kept / warps * i);
    // Nothing ever writes to these registers: they are the same for all blocks.
    fill_specials(w);
  }
  for (const Constant& c : k.constants)
    if (changes_with_block(c.kind))
      b.moving.push_back(c);
    else
      fill(constant_base + (c.ref & ~kConstantBit), c.width, constant_value(s, b, c));
  if (s.full_checks) {
    b.shared_valid.resize(b.shared_bytes / 4 + 1);
    b.shared_words.resize(b.shared_bytes / 4 + 1);
    b.shared_lines.resize(b.shared_bytes / 128 + 1);
    b.shared_writers.resize(b.shared_bytes / 4 + 1);
    b.local_valid.resize(warps * kLanes * k.local_bytes / 8 + 1);
    b.shadow = std::make_unique<SharedShadow>();
    b.shadow->valid = b.shared_valid.data();
    b.shadow->words = reinterpret_cast<u64*>(b.shared_words.data());
    b.shadow->writers = b.shared_writers.data();
    b.shadow->lines = b.shared_lines.data();
    for (Warp& w : b.warps) w.shadow = b.shadow.get();
  }
}

/// The buffer that a pointer among the launch's constants points to; null: none.
const Allocation* pointed_to(const LaunchState& s, const Constant& c, bool& odd) {
  const Address value = constant_value(s, {}, c);
  if (value < kGlobalBase) return nullptr;
  const Allocation* a = s.memory->nearest(value);
  const bool inside = a != nullptr && a->live && value <= a->end();
  // One that points beside all buffers may lead anywhere.
  odd = odd || !inside;
  return inside ? a : nullptr;
}

}  // namespace

void find_quiet(LaunchState& s) {
  const std::vector<Allocation>& all = s.memory->allocations();
  if (!s.kernel->knows_writes) return;
  std::vector<bool> quiet(all.size(), true);
  for (const std::vector<std::uint32_t>& site : s.kernel->write_origins) {
    bool found = false, odd = false;
    for (const std::uint32_t c : site) {
      const Allocation* a = pointed_to(s, s.kernel->constants[c], odd);
      if (a == nullptr) continue;
      found = true;
      quiet[static_cast<std::size_t>(a - all.data())] = false;
    }
    if (!found || odd) return;
  }
  s.quiet = std::move(quiet);
}

void forget_quiet(Worker& worker) {
  worker.loud = true;
  for (AccessMemo& memo : worker.memos) memo.quiet = memo.other.quiet = false;
}

Dim3 thread_of(const Warp& w, std::uint32_t lane) {
  const Dim3& d = w.worker->launch->launch->block;
  const u32 t = w.index * kLanes + lane;
  return {t % d.x, t / d.x % d.y, t / d.x / d.y};
}

namespace {

/// The number of the interval between barriers must not come round to one that words remember.
void forget_intervals(BlockState& b) {
  std::fill(b.shared_words.begin(), b.shared_words.end(), SharedWord{});
  std::fill(b.shared_lines.begin(), b.shared_lines.end(), 0);
  b.epoch = 0;
}

}  // namespace

void next_interval(BlockState& b) {
  ++b.epoch;
  b.released = b.asked = 0;
  if (b.shadow == nullptr) return;
  b.shadow->start(b.epoch, b.race_checks, b.follows_shared);
  set_race_keys(*b.warps[0].worker->launch, b);
}

void start_block(Worker& worker, BlockState& b, std::uint64_t rank) {
  LaunchState& s = *worker.launch;
  const Launch& launch = *s.launch;
  if (b.warps.empty()) make_storage(worker, b);
  if (s.loud.load(std::memory_order_relaxed) && !worker.loud) forget_quiet(worker);
  b.rank = rank;
  b.index = {static_cast<u32>(rank), 0, 0};
  if (rank >= launch.grid.x)
    b.index = {static_cast<u32>(rank % launch.grid.x),
               static_cast<u32>(rank / launch.grid.x % launch.grid.y),
               static_cast<u32>(rank / launch.grid.x / launch.grid.y)};
  b.cluster_rank = 0;
  if (s.clustered)
    b.cluster_rank =
        b.index.x % s.cluster.x +
        s.cluster.x * (b.index.y % s.cluster.y + s.cluster.y * (b.index.z % s.cluster.z));
  for (const Constant& c : b.moving)
    fill(b.warps[0].base[1] + (c.ref & ~kConstantBit), c.width, constant_value(s, b, c));
  // Shared memory starts as rubbish on hardware; a recognisable pattern is kinder than old data.
  if (b.shared_bytes != 0) std::memset(b.shared, 0xcd, b.shared_bytes);
  if (b.used_barriers)
    for (Barrier& bar : b.barriers) bar = {};
  b.waiting = 0;
  b.used_barriers = false;
  b.follows_shared = s.ordering != nullptr && s.follows_shared();
  b.race_checks = s.full_checks && !b.follows_shared;
  if (s.full_checks) {
    std::fill(b.shared_valid.begin(), b.shared_valid.end(), 0);
    if (b.epoch > ~u32{0} / 2) forget_intervals(b);
    std::fill(b.local_valid.begin(), b.local_valid.end(), 0);
  }
  b.arrivals.clear();
  if (std::exchange(b.copied, false))
    for (auto& groups : b.copies) groups.clear();
  std::fill(b.spinning.begin(), b.spinning.end(), Spinning{});
  std::fill(b.cluster_arrived.begin(), b.cluster_arrived.end(), 0);
  b.fenced = false;
  b.visits.clear();
  b.ended = b.all_awaited = false;
  b.awaited = 0;
  start_block_order(s, b);
  next_interval(b);
  b.live_threads = static_cast<u32>(launch.block.count());
  u32 left = b.live_threads;
  for (Warp& w : b.warps) {
    const u32 lanes = left >= kLanes ? kAllLanes : (u32{1} << left) - 1;
    left -= std::min(left, kLanes);
    start_warp(w, lanes);
  }
}

namespace {

bool waits_for_cluster(const BlockState& b) {
  return b.cluster != nullptr && std::any_of(b.warps.begin(), b.warps.end(), [](const Warp& w) {
           return std::any_of(w.splits.begin(), w.splits.end(),
                              [](const Split& s) { return s.state == Split::State::at_cluster; });
         });
}

}  // namespace

bool run_block(Worker& worker, BlockState& b) {
  b.progressed = false;
  while (true) {
    bool progress = false, done = true, yielded = false, works = false;
    for (const std::uint32_t k : worker.turns.order(b.warps.size())) {
      Warp& w = b.warps[k];
      if (w.done) continue;
      const bool ran = run_warp(w);
      progress = progress || ran;
      // A loop that asks need not be one that is known to do nothing else.
      const bool asks = w.waits.loop != 0 || b.spinning[w.index].spun > 0;
      works = works || (ran && (w.done || !asks));
      if (!worker.store_races.empty()) settle_store_races(worker);
      yielded = yielded || w.yielded;
      done = done && w.done;
      for (u32 open = b.waiting; open != 0; open &= open - 1)
        try_release(b, static_cast<u32>(std::countr_zero(open)));
      if (worker.launch->stop.load(std::memory_order_relaxed)) return true;
    }
    b.progressed = b.progressed || progress;
    if (done) return true;
    if ((worker.launch->in_turns || b.cluster != nullptr) && yielded) return false;
    if (worker.launch->lets_wait && yielded && !works) return false;
    if (!progress && waits_for_cluster(b)) return false;
    if (!progress) {
      report_deadlock(worker, b);
      const bool any = std::any_of(b.warps.begin(), b.warps.end(), [](const Warp& w) {
        return std::any_of(w.splits.begin(), w.splits.end(),
                           [](const Split& s) { return s.state == Split::State::ready; });
      });
      if (!any) return true;
    }
  }
}

std::string place_of(const Warp& w, const Ins* i) {
  const InsInfo& info = w.kernel->info[i->id];
  if (info.source.line != 0) return fmt::format("line {}", info.source.line);
  return fmt::format("PTX line {}", info.ptx_line);
}

namespace {

void report_missing_warps(BlockState& b) {
  for (Warp& w : b.warps) {
    for (const Split& s : w.splits) {
      if (s.state != Split::State::at_product) continue;
      w.mask = s.mask;
      report_lazily(w, s.ip, FaultKind::deadlock, static_cast<u32>(std::countr_zero(s.mask)), 0, "",
                    [] {
                      return std::string(
                          "waits for a matrix product of four warps that not all of them began");
                    });
    }
  }
}

}  // namespace

void report_deadlock(Worker&, BlockState& b) {
  if (free_half_wavefronts(b) || free_lanes_that_others_name(b)) return;
  // Lanes that wait for others of their warp first: going on without them may free the rest.
  bool freed = false;
  for (Warp& w : b.warps) {
    for (Split& s : w.splits) {
      if (s.state != Split::State::at_sync) continue;
      w.mask = s.mask;
      // Lanes that the guard leaves out are not at the instruction.
      const u32 here = w.lanes(s.ip);
      const auto lane = static_cast<u32>(std::countr_zero(here | 0x80000000u));
      const u32 named = w.slot<u32>(s.ip->c)[lane];
      const u32 missing = named & ~here & ((named & w.live & ~here) != 0 ? w.live : kAllLanes);
      report_lazily(w, s.ip, FaultKind::sync_mask, lane, 0, "", [&] {
        const auto absent = static_cast<u32>(std::countr_zero(missing | 0x80000000u));
        std::string where = (w.live >> absent & 1) != 0 ? "waits elsewhere" : "has ended";
        for (const Split& o : w.splits)
          if (&o != &s && o.state != Split::State::free && (o.mask >> absent & 1) != 0 &&
              o.ip != nullptr)
            where = "is at " + place_of(w, o.ip);
        return fmt::format("its mask {:#010x} names lane {}, which never gets here: it {}", named,
                           absent, where);
      });
      s.forced = true;
      s.state = Split::State::ready;
      freed = true;
    }
  }
  if (freed) return;
  report_missing_warps(b);
  for (Warp& w : b.warps) {
    for (Split& s : w.splits) {
      if (s.state != Split::State::at_barrier) continue;
      const Ins* at = s.ip - 1;
      const Barrier& bar = b.barriers[s.barrier];
      w.mask = s.mask;
      report_lazily(
          w, at, FaultKind::deadlock, static_cast<u32>(std::countr_zero(s.mask)), 0, "", [&] {
            return fmt::format("{} of {} threads wait at barrier {}, the others never come",
                               bar.expected == 0 ? bar.arrived : bar.counted,
                               bar.expected == 0 ? b.live_threads : bar.expected, s.barrier);
          });
    }
  }
}

}  // namespace warpwright::simt
