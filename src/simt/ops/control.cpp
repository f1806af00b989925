// SPDX-License-Identifier: Apache-2.0
// Branches, reconvergence and the life of a warp.
//
// A warp is a tree of splits. A divergent branch turns the running split into a node that waits
// at the branch's immediate post-dominator and starts one child per way; a child that gets there
// hands its lanes to the node. Any leaf may run, so lanes that wait for others of their warp
// (locks, `*.sync`) do not block them.
#include <array>
#include <utility>

#include "simt/checks/order.h"
#include "simt/ops/handlers.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

constexpr std::uint32_t kMaxSplits = 1 << 16;

std::int32_t new_split(Warp& w) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    if (w.splits[i].state != Split::State::free) continue;
    w.splits[i] = Split{};
    return static_cast<std::int32_t>(i);
  }
  ASSERT(w.splits.size() < kMaxSplits, "splits of a warp never outnumber its lanes twice");
  w.splits.emplace_back();
  return static_cast<std::int32_t>(w.splits.size() - 1);
}

bool is_exit_block(const Warp& w, std::uint32_t block) {
  return w.kernel->info[w.kernel->blocks[block].first].opcode == Opcode::exit;
}

void retire(Warp& w, std::uint32_t lanes) {
  w.live &= ~lanes;
  w.block->live_threads -= lanes_in(lanes);
}

/// The node whose last child is gone goes on by itself, or disappears when nobody arrived.
void child_done(Warp& w, std::int32_t index) {
  while (index >= 0) {
    Split& s = w.splits[static_cast<std::size_t>(index)];
    if (--s.children > 0) return;
    if (s.mask != 0) {
      s.state = Split::State::ready;
      s.ip = nullptr;  // enters resume_block when it runs
      return;
    }
    s.state = Split::State::free;
    index = s.parent;
  }
}

void end_current(Warp& w) {
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.state = Split::State::free;
  const std::int32_t parent = s.parent;
  w.current = -1;
  child_done(w, parent);
}

/// Lanes that leave for a block: to the node that waits there, out of the kernel, or a new leaf.
void send(Warp& w, std::uint32_t lanes, std::uint32_t block, std::int32_t parent,
          std::uint32_t reconverge) {
  if (lanes == 0) return;
  if (is_exit_block(w, block)) {
    w.counts[block].warps += 1;
    w.counts[block].lanes += static_cast<std::uint32_t>(std::popcount(lanes));
    retire(w, lanes);
    return;
  }
  if (block == reconverge && parent >= 0) {
    w.splits[static_cast<std::size_t>(parent)].mask |= lanes;
    return;
  }
  const std::int32_t index = new_split(w);
  Split& s = w.splits[static_cast<std::size_t>(index)];
  s.state = Split::State::ready;
  s.mask = lanes;
  s.reconverge = reconverge;
  s.resume_block = block;
  s.parent = parent;
  if (parent >= 0) ++w.splits[static_cast<std::size_t>(parent)].children;
}

/// Makes the running split wait at `ipdom`; the node that lanes arrive at. Unless it was going
/// there anyway: then its parent waits already and the split itself ends.
std::int32_t open_node(Warp& w, std::uint32_t ipdom) {
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  if (ipdom == s.reconverge) {
    // The split is replaced by what comes; keep the parent alive meanwhile.
    return s.parent;
  }
  s.state = Split::State::joining;
  s.resume_block = ipdom;
  s.mask = 0;
  s.children = 0;
  return w.current;
}

void close_node(Warp& w, std::int32_t node, std::int32_t was) {
  if (node == was) {
    // No child was needed: everybody arrived or exited.
    Split& s = w.splits[static_cast<std::size_t>(node)];
    if (s.children == 0) {
      s.children = 1;
      child_done(w, node);
    }
    w.current = -1;
    return;
  }
  w.current = was;
  end_current(w);
}

/// Picks the next leaf that can run; the newest first, so that loops finish before what follows.
bool pick(Warp& w) {
  if (w.splits.size() == 1) {
    if (w.splits[0].state != Split::State::ready) return false;
    w.current = 0;
    return true;
  }
  for (std::size_t i = w.splits.size(); i-- > 0;) {
    if (w.splits[i].state != Split::State::ready) continue;
    w.current = static_cast<std::int32_t>(i);
    return true;
  }
  return false;
}

const Ins* resume(Warp& w) {
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  w.mask = s.mask;
  w.reconverge = s.reconverge;
  const Ins* ip = s.ip;
  s.ip = nullptr;
  return ip != nullptr ? ip : enter(w, s.resume_block);
}

void run_split(Warp& w) {
  const Ins* ip = resume(w);
  while (ip != nullptr) ip = ip->run(w, ip);
}

bool next_sibling(Warp& w) {
  for (std::size_t k = 1; k < w.splits.size(); ++k) {
    const std::size_t i = (static_cast<std::size_t>(w.current) + k) % w.splits.size();
    if (w.splits[i].state != Split::State::ready) continue;
    w.current = static_cast<std::int32_t>(i);
    w.yielded = false;
    return true;
  }
  return false;
}

/// Lanes that wait at a join for one that spins go on without it: it may wait for them, as with
/// a lock that one of them holds.
void free_waiting(Warp& w) {
  w.block->spinning[w.index] = {.freed = true};
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    if (w.splits[i].state == Split::State::joining && w.splits[i].mask != 0) free_joined(w, i);
  }
}

/// After the running split ended: the next one of this warp, or null.
const Ins* next_split(Warp& w) {
  if (!pick(w)) return nullptr;
  return resume(w);
}

}  // namespace

std::size_t free_joined(Warp& w, std::size_t node) {
  const std::int32_t index = new_split(w);
  Split& from = w.splits[node];
  Split& s = w.splits[static_cast<std::size_t>(index)];
  s.state = Split::State::ready;
  s.mask = std::exchange(from.mask, 0);
  s.reconverge = from.reconverge;
  s.resume_block = from.resume_block;
  s.parent = from.parent;
  if (s.parent >= 0) ++w.splits[static_cast<std::size_t>(s.parent)].children;
  return static_cast<std::size_t>(index);
}

const Ins* join(Warp& w) {
  const std::int32_t parent = w.splits[static_cast<std::size_t>(w.current)].parent;
  w.splits[static_cast<std::size_t>(parent)].mask |= w.mask;
  end_current(w);
  return next_split(w);
}

const Ins* exit_lanes(Warp& w, std::uint32_t lanes, const Ins* next) {
  retire(w, lanes);
  w.mask &= ~lanes;
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s.mask = w.mask;
  if (w.mask != 0) return next;
  if (w.live == 0) {
    // Nobody is left to wait for anybody.
    s.state = Split::State::free;
    w.current = -1;
    return nullptr;
  }
  end_current(w);
  return next_split(w);
}

const Ins* switch_split(Warp& w) { return next_split(w); }

const Ins* run_jump(Warp& w, const Ins* i) { return enter(w, i->target); }

const Ins* run_branch(Warp& w, const Ins* i) {
  const std::uint32_t taken = w.lanes(i);
  if (taken == w.mask) return enter(w, i->target);
  if (taken == 0) return enter(w, i->aux);
  ++w.worker->divergent[i->id];
  const std::uint32_t rest = w.mask & ~taken;
  const std::int32_t was = w.current;
  const std::uint32_t ipdom = i->aux2;
  const std::int32_t node = open_node(w, ipdom);
  // Pushed last runs first: the way that falls through, as compilers lay out the likely one.
  const bool swapped = w.worker->turns.other_way_first();
  if (!swapped) send(w, taken, i->target, node, ipdom);
  send(w, rest, i->aux, node, ipdom);
  if (swapped) send(w, taken, i->target, node, ipdom);
  close_node(w, node, was);
  return next_split(w);
}

const Ins* run_branch_table(Warp& w, const Ins* i) {
  const auto& table = w.kernel->jump_tables[i->target];
  const auto* index = w.slot<std::uint32_t>(i->a);
  std::uint32_t left = w.mask;
  const std::uint32_t first = index[std::countr_zero(left)];
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < kLanes; ++l)
    if ((left >> l & 1) != 0 && index[l] == first) same |= std::uint32_t{1} << l;
  const auto block_of = [&](std::uint32_t k) {
    return table[k < table.size() ? k : table.size() - 1];
  };
  if (same == left) return enter(w, block_of(first));
  ++w.worker->divergent[i->id];
  const std::int32_t was = w.current;
  const std::int32_t node = open_node(w, i->aux2);
  while (left != 0) {
    const std::uint32_t k = index[std::countr_zero(left)];
    std::uint32_t lanes = 0;
    for (std::uint32_t l = 0; l < kLanes; ++l)
      if ((left >> l & 1) != 0 && index[l] == k) lanes |= std::uint32_t{1} << l;
    send(w, lanes, block_of(k), node, i->aux2);
    left &= ~lanes;
  }
  close_node(w, node, was);
  return next_split(w);
}

const Ins* run_exit(Warp& w, const Ins* i) { return exit_lanes(w, w.mask, i + 1); }

const Ins* run_guarded_exit(Warp& w, const Ins* i) {
  const std::uint32_t lanes = w.lanes(i);
  if (lanes == w.mask) return exit_lanes(w, lanes, i + 1);
  if (lanes != 0) exit_lanes(w, lanes, i + 1);
  return enter(w, i->aux);
}

namespace {

/// Starts a function for some lanes of the running split, which waits behind the call.
void start_function(Warp& w, std::uint32_t lanes, const std::uint32_t* row, std::int32_t node) {
  const std::int32_t index = new_split(w);
  Split& s = w.splits[static_cast<std::size_t>(index)];
  s.state = Split::State::ready;
  s.mask = lanes;
  s.resume_block = row[1];
  s.reconverge = row[2];
  s.parent = node;
  ++w.splits[static_cast<std::size_t>(node)].children;
}

/// The running split as a node that waits for its callees; null when there is no room.
const Ins* open_call(Warp& w, const Ins* i, std::uint32_t& lanes) {
  if (w.splits.size() > kMaxSplits / 2) {
    report(w, i, FaultKind::out_of_bounds, static_cast<std::uint32_t>(std::countr_zero(w.mask)), 0,
           "local", "too many calls are open in one warp");
    return exit_lanes(w, w.mask, i);
  }
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  lanes = w.mask;
  s.state = Split::State::joining;
  s.resume_block = i->aux;
  s.mask = 0;
  s.children = 0;
  return nullptr;
}

}  // namespace

const Ins* run_call(Warp& w, const Ins* i) {
  std::uint32_t lanes = 0;
  if (const Ins* next = open_call(w, i, lanes); lanes == 0) return next;
  start_function(w, lanes, w.kernel->jump_tables[i->target].data(), w.current);
  return next_split(w);
}

const Ins* run_indirect_call(Warp& w, const Ins* i) {
  const auto& rows = w.kernel->jump_tables[i->target];
  const auto* address = w.slot<std::uint64_t>(i->a);
  std::uint32_t lost = w.mask;
  std::vector<std::pair<std::size_t, std::uint32_t>> callees;
  for (std::size_t r = 0; r < rows.size(); r += 3) {
    std::uint32_t lanes = 0;
    for (std::uint32_t l = 0; l < kLanes; ++l)
      if ((w.mask >> l & 1) != 0 && address[l] == function_address(rows[r]))
        lanes |= std::uint32_t{1} << l;
    if (lanes != 0) callees.emplace_back(r, lanes);
    lost &= ~lanes;
  }
  if (lost != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lost));
    report(w, i, FaultKind::trap, lane, address[lane], "",
           "a call of an address that is no function of this signature");
    const bool all = lost == w.mask;
    const Ins* next = exit_lanes(w, lost, i);
    if (all) return next;
  }
  if (callees.size() > 1) ++w.worker->divergent[i->id];
  std::uint32_t lanes = 0;
  const std::int32_t node = w.current;
  if (const Ins* next = open_call(w, i, lanes); lanes == 0) return next;
  for (const auto& [row, some] : callees) start_function(w, some, rows.data() + row, node);
  return next_split(w);
}

const Ins* run_return(Warp& w, const Ins* i) {
  // Reached only by splits that diverged with no common way on: up to the one that was called.
  std::int32_t at = w.current;
  while (w.splits[static_cast<std::size_t>(at)].reconverge != i->aux)
    at = w.splits[static_cast<std::size_t>(at)].parent;
  const std::int32_t caller = w.splits[static_cast<std::size_t>(at)].parent;
  w.splits[static_cast<std::size_t>(caller)].mask |= w.mask;
  end_current(w);
  return next_split(w);
}

const Ins* run_trap(Warp& w, const Ins* i) {
  const std::uint32_t lanes = w.lanes(i);
  if (lanes == 0) return i + 1;
  report(w, i, FaultKind::trap, static_cast<std::uint32_t>(std::countr_zero(lanes)), 0, "", "");
  return exit_lanes(w, lanes, i + 1);
}

const Ins* run_nop(Warp&, const Ins* i) { return i + 1; }

namespace {

/// Since Volta nothing but `*.sync` and barriers keeps the lanes of a warp together: what they
/// leave for each other in memory without one must not matter. Barriers count them group by group.
[[gnu::noinline]] void part_lanes(Warp& w) {
  Turns& turns = w.worker->turns;
  const std::uint32_t groups = w.kernel->in_step ? 1 : turns.lane_groups();
  if (groups == 1) return;
  std::array<std::uint32_t, kLanes> masks = {};
  for (std::uint32_t l = 0; l < kLanes; ++l) masks[turns.group_of_lane(groups)] |= 1u << l;
  w.splits.clear();
  for (const std::uint32_t mask : masks)
    if ((mask & w.live) != 0)
      w.splits.push_back({.state = Split::State::ready, .mask = mask & w.live, .resume_block = 0});
  if (w.splits.size() == 1) return;
  w.fresh = false;
  w.block->spinning[w.index].freed = true;
}

}  // namespace

void start_warp(Warp& w, std::uint32_t lanes) {
  if (w.splits.size() != 1) w.splits.resize(1);
  w.resume = 0;
  w.live = lanes;
  w.mask = lanes;
  w.done = lanes == 0;
  w.yielded = false;
  w.fresh = lanes == kAllLanes;
  w.executed = 0;
  w.fuel = w.slice = next_turn(w);
  w.carry = 0;
  w.waits = {};
  w.wgmma.group = 0;
  w.wgmma.reads.clear();
  if (w.kernel->shadow_words != 0) {
    w.undefined.assign(w.kernel->shadow_words, kAllLanes);
    if (w.kernel->follows_strays) w.undefined.resize(2 * std::size_t{w.kernel->shadow_words}, 0);
  }
  w.current = 0;
  w.splits[0] = {.state = Split::State::ready, .mask = lanes, .resume_block = 0};
  if (w.worker->turns.shorts() && !w.done) part_lanes(w);
}

namespace {

/// What resume() does for a split that has just begun, in fewer steps: most warps of compiled code
/// run from end to end in one go, and take no longer than what is around them.
void run_fresh(Warp& w) {
  w.reconverge = kNoBlock;
  const Ins* ip = enter(w, 0);
  while (ip != nullptr) ip = ip->run(w, ip);
}

/// A leaf that yields must not starve its siblings, nor lanes that wait for it to come.
void heed_others(Warp& w) {
  if (w.current < 0) return;
  if (is_spinning(w)) free_waiting(w);
  // All of them: the one that the others wait for may be any.
  for (std::size_t k = 1; k < w.splits.size() && w.current >= 0 && next_sibling(w); ++k) {
    run_split(w);
    if (!w.yielded) return;
  }
}

}  // namespace

bool run_warp(Warp& w) {
  w.yielded = false;
  bool progress = std::exchange(w.fresh, false);
  if (progress) {
    run_fresh(w);
    if (w.yielded) heed_others(w);
  }
  while (!w.yielded && w.live != 0 && pick(w)) {
    progress = true;
    run_split(w);
    if (w.yielded) heed_others(w);
  }
  if (w.live == 0 && !w.done) {
    w.done = true;
    Worker& worker = *w.worker;
    const std::int64_t used = w.slice - w.fuel;
    const std::uint64_t executed = w.executed + static_cast<std::uint64_t>(used);
    w.executed = executed;
    worker.spent += used;
    worker.clock += static_cast<std::uint64_t>(used);
    worker.longest_warp = std::max(worker.longest_warp, executed - w.waits.instructions);
    worker.waits += w.waits.times;
    worker.most_waits = std::max<std::uint64_t>(worker.most_waits, w.waits.times);
    note_end(w);
  }
  return progress;
}

}  // namespace warpwright::simt
