// SPDX-License-Identifier: Apache-2.0
// What warps know of each other, and how they learn it.
#include "simt/checks/order.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// Warps of a grid beyond which nobody follows what each knows of all others.
constexpr std::uint64_t kMostWarps = 1 << 20;
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{256} << 20;
/// Most of it is gone again: this is time rather than memory.
constexpr std::uint64_t kMostToldBytes = std::uint64_t{4} << 30;

void join(Steps& to, const Steps& from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = std::max(to[k], from[k]);
}

/// All steps of one block have one size.
bool covers(const Steps& all, const Steps& part) {
  for (std::size_t k = 0; k < part.size(); ++k)
    if (part[k] > all[k]) return false;
  return true;
}

/// Keeps what was told of a block; null where that is too much.
const Steps* keep(Ordering& o, Steps steps) {
  o.kept_bytes += sizeof(Steps) + steps.size() * sizeof(std::uint32_t);
  if (o.kept_bytes > kMostKeptBytes) o.lost = true;
  if (o.lost) return nullptr;
  return &o.told.emplace_back(std::move(steps));
}

/// The steps that are over for whoever knows both.
const Steps* joined(Ordering& o, const Steps* a, const Steps* b) {
  if (a == b || covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  Steps both = *a;
  join(both, *b);
  return keep(o, std::move(both));
}

std::shared_ptr<const Known> list_of(Ordering& o, Known known) {
  o.told_bytes += known.size() * sizeof(KnownBlock);
  if (o.told_bytes > kMostToldBytes) o.lost = true;
  return o.lost ? nullptr : std::make_shared<const Known>(std::move(known));
}

void join(Ordering& o, std::shared_ptr<const Known>& to, const std::shared_ptr<const Known>& from) {
  if (from == nullptr || to == from) return;
  if (to == nullptr) {
    to = from;
    return;
  }
  Known both;
  both.reserve(to->size() + from->size());
  bool to_is_all = true, from_is_all = true;
  auto a = to->begin(), b = from->begin();
  while (a != to->end() || b != from->end()) {
    if (b == from->end() || (a != to->end() && a->rank < b->rank)) {
      from_is_all = false;
      both.push_back(*a++);
    } else if (a == to->end() || b->rank < a->rank) {
      to_is_all = false;
      both.push_back(*b++);
    } else {
      const Steps* steps = joined(o, a->steps, b->steps);
      if (steps == nullptr) return;
      to_is_all = to_is_all && steps == a->steps;
      from_is_all = from_is_all && (steps == b->steps || *steps == *b->steps);
      both.push_back({a->rank, steps});
      ++a, ++b;
    }
  }
  if (to_is_all) return;
  to = from_is_all ? from : list_of(o, std::move(both));
}

void join(Ordering& o, Clock& to, const Clock& from) {
  join(to.own, from.own);
  join(o, to.others, from.others);
}

void join(Ordering& o, Fenced& to, const Fenced& from) {
  join(o, to.in_block, from.in_block);
  join(o, to.beyond, from.beyond);
}

Ordering* ordering_of(const Warp& w) { return w.worker->launch->ordering.get(); }
WarpOrder& order_of(Warp& w) { return w.block->order->warps[w.index]; }

/// Ends the running step: what comes now is not what was told.
void next_step(Warp& w) { ++order_of(w).now.own[w.index]; }

/// A clock of one block for all others; null where that is too much.
std::shared_ptr<const Known> beyond_block(Ordering& o, const Clock& c, std::uint64_t block) {
  if (c.own.empty() || o.lost) return nullptr;
  const Steps* own = keep(o, c.own);
  if (own == nullptr) return nullptr;
  Known all;
  if (c.others != nullptr) all = *c.others;
  const auto at = std::lower_bound(all.begin(), all.end(), block,
                                   [](const KnownBlock& k, std::uint64_t r) { return k.rank < r; });
  if (at == all.end() || at->rank != block)
    all.insert(at, {block, own});
  else if ((at->steps = joined(o, own, at->steps)) == nullptr)
    return nullptr;
  return list_of(o, std::move(all));
}

void learn(Ordering& o, Clock& now, const std::shared_ptr<const Known>& told, std::uint64_t block) {
  if (told == nullptr || now.others == told) return;
  join(o, now.others, told);
  if (const Steps* own = known_of(*told, block)) join(now.own, *own);
}

constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 63;

std::uint64_t shared_key(const BlockState& b, std::uint64_t at) {
  return kSharedKey | b.rank << 24 | at / 4;
}

/// The word at a lane's address; 0: none that warps share.
std::uint64_t key_of(const Warp& w, u64 address, Space space) {
  if (space == Space::shared || address - kSharedWindow < kWindowBytes) {
    const u64 at = space == Space::shared ? address & 0xffffffffu : address - kSharedWindow;
    // Words of other blocks of the cluster are told by mbarriers.
    return at >> kClusterRankShift == 0 ? shared_key(*w.block, at) : 0;
  }
  if (space == Space::local || address - kGlobalBase >= kGlobalBytes) return 0;
  return (address - kGlobalBase) / 4;
}

template <class Each>
void for_words(const Warp& w, const u64* a, u32 m, u32 bytes, Space space, Each each) {
  u64 last = ~u64{0};
  for (u32 left = m; left != 0; left &= left - 1) {
    const u64 address = a[std::countr_zero(left)];
    if (address == last) continue;
    last = address;
    for (u64 at = address & ~u64{3}; at < address + bytes; at += 4)
      if (const std::uint64_t key = key_of(w, at, space); key != 0) each(key);
  }
}

const BlockState* block_at(const BlockState& near, const std::byte* at) {
  const auto inside = [&](const BlockState& b) {
    return at >= b.shared && at < b.shared + b.shared_bytes;
  };
  if (inside(near) || near.cluster == nullptr) return &near;
  for (const BlockState* b : near.cluster->blocks)
    if (inside(*b)) return b;
  return &near;
}

SyncWord& word_at(Ordering& o, const BlockState& near, const std::byte* at) {
  const BlockState& b = *block_at(near, at);
  return o.words[shared_key(b, static_cast<std::uint64_t>(at - b.shared))];
}

}  // namespace

const Steps* known_of(const Known& known, std::uint64_t rank) {
  const auto at = std::lower_bound(known.begin(), known.end(), rank,
                                   [](const KnownBlock& k, std::uint64_t r) { return k.rank < r; });
  return at != known.end() && at->rank == rank ? at->steps : nullptr;
}

void start_ordering(LaunchState& s) {
  const Kernel& k = *s.kernel;
  if (!k.orders_warps && !k.orders_blocks && !s.cooperative && !s.clustered) return;
  s.ordering = std::make_unique<Ordering>();
  const std::uint64_t warps = (s.launch->block.count() + kLanes - 1) / kLanes;
  s.ordering->global = s.launch->grid.count() <= kMostWarps / warps;
  if (!s.ordering->global)
    s.unchecked.push_back(
        {"order_in_global_memory",
         "the launch has more warps than the machine can follow: of two accesses to global memory "
         "it only asks whether the earlier block passed a fence"});
}

void start_block_order(LaunchState& s, BlockState& b) {
  if (s.ordering == nullptr) return;
  if (b.order == nullptr) b.order = std::make_unique<BlockOrder>();
  const std::size_t warps = b.warps.size();
  b.order->warps.assign(warps, {});
  b.order->strong_words.clear();
  b.order->at_cluster = {};
  const std::size_t steps = s.kernel->has_products ? 2 * warps : warps;
  for (std::size_t k = 0; k < warps; ++k) {
    b.order->warps[k].now.own.assign(steps, 0);
    b.order->warps[k].now.own[k] = 1;
  }
  b.order->shared.resize(b.shared_bytes / 4 + 1);
  for (History& word : b.order->shared) word.clear();
  for (Barrier& bar : b.barriers) bar.told = {}, bar.fenced = {};
}

void arrive_in_order(Warp& w, Barrier& bar) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  join(*o, bar.told, order_of(w).now);
  // What each warp made visible before the barrier is behind a flag raised after it.
  join(*o, bar.fenced, order_of(w).fenced);
  next_step(w);
}

void open_in_order(BlockState& b, Barrier& bar, std::uint32_t number) {
  if (b.order == nullptr) return;
  Ordering& o = *ordering_of(b.warps.front());
  // A barrier of all threads does not wait for those that have exited: they were there before.
  for (Warp& w : b.warps)
    if (w.done && bar.expected == 0) join(o, bar.told, order_of(w).now);
  for (Warp& w : b.warps) {
    const bool waits = std::any_of(w.splits.begin(), w.splits.end(), [&](const Split& s) {
      return s.state == Split::State::at_barrier && s.barrier == number;
    });
    if (!waits) continue;
    join(o, order_of(w).now, bar.told);
    join(o, order_of(w).fenced, bar.fenced);
  }
  bar.told = {};
  bar.fenced = {};
}

void arrive_at_cluster_in_order(Warp& w) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  join(*o, w.block->order->at_cluster, order_of(w).now);
  next_step(w);
}

void open_cluster_in_order(Cluster& c) {
  if (c.blocks.front()->order == nullptr) return;
  Ordering& o = *ordering_of(c.blocks.front()->warps.front());
  std::shared_ptr<const Known> all;
  for (BlockState* b : c.blocks) {
    Clock& block = b->order->at_cluster;
    for (Warp& w : b->warps)
      if (w.done) join(o, block, order_of(w).now);
    join(o, all, beyond_block(o, block, b->rank));
  }
  for (BlockState* b : c.blocks) {
    for (Warp& w : b->warps) {
      // Also where too much was told beyond blocks: a block's own warps are behind it.
      join(order_of(w).now.own, b->order->at_cluster.own);
      learn(o, order_of(w).now, all, b->rank);
    }
    b->order->at_cluster = {};
  }
}

void end_products_in_order(Warp& w, std::span<const Warp> of, std::uint32_t groups) {
  if (ordering_of(w) == nullptr) return;
  Steps& own = order_of(w).now.own;
  for (const Warp& k : of) {
    std::uint32_t& over = own[own.size() / 2 + k.index];
    over = std::max(over, groups);
  }
}

void fence_in_order(Warp& w, bool beyond) {
  if (ordering_of(w) == nullptr) return;
  WarpOrder& order = order_of(w);
  order.fenced.in_block = order.now;
  if (beyond) order.fenced.beyond = order.now;
  next_step(w);
}

void ask_words(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Space space) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  const bool narrow = (i->aux & kBlockScope) != 0;
  for_words(w, a, m, bytes, space, [&](std::uint64_t key) {
    w.block->order->strong_words.insert(key);
    const auto it = o->words.find(key);
    if (it == o->words.end()) return;
    Clock& now = order_of(w).now;
    if (it->second.block == w.block->rank) join(*o, now, it->second.in_block);
    if (!narrow) learn(*o, now, it->second.beyond, w.block->rank);
  });
}

void tell_words(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Space space, bool update) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  const bool narrow = (i->aux & kBlockScope) != 0;
  const Fenced& fenced = order_of(w).fenced;
  std::shared_ptr<const Known> beyond;
  for_words(w, a, m, bytes, space, [&](std::uint64_t key) {
    w.block->order->strong_words.insert(key);
    const auto known = o->words.find(key);
    if (known == o->words.end() && fenced.in_block.own.empty()) return;
    SyncWord& word = known != o->words.end() ? known->second : o->words[key];
    // A store takes the place of what was told before; an update adds to it.
    if (!update) word.beyond = nullptr;
    if (!update || word.block != w.block->rank) word.in_block = {};
    word.block = w.block->rank;
    join(*o, word.in_block, fenced.in_block);
    if (narrow || (key & kSharedKey) != 0) return;
    if (beyond == nullptr && o->global) beyond = beyond_block(*o, fenced.beyond, w.block->rank);
    join(*o, word.beyond, beyond);
  });
}

void arrive_at_word(Warp& w, const std::byte* at) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  SyncWord& word = word_at(*o, *w.block, at);
  const BlockState& there = *block_at(*w.block, at);
  if (&there == w.block)
    join(*o, word.waiting, order_of(w).now);
  else
    join(*o, word.waiting.others, beyond_block(*o, order_of(w).now, w.block->rank));
  next_step(w);
}

void end_phase(LaunchState& s, BlockState& near, const std::byte* at) {
  if (s.ordering == nullptr) return;
  SyncWord& word = word_at(*s.ordering, near, at);
  word.in_block = word.waiting;
}

void learn_from_word(Warp& w, const std::byte* at) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  const SyncWord& word = word_at(*o, *w.block, at);
  Clock& now = order_of(w).now;
  if (block_at(*w.block, at) == w.block) join(now.own, word.in_block.own);
  learn(*o, now, word.in_block.others, w.block->rank);
}

}  // namespace warpwright::simt
