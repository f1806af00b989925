// SPDX-License-Identifier: Apache-2.0
// What warps know of each other, and how they learn it.
#include "simt/checks/order.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// Warps of a grid beyond which nobody follows what each knows of all others.
constexpr std::uint64_t kMostWarps = 1 << 16;
constexpr std::uint64_t kMostToldBytes = std::uint64_t{512} << 20;

void join(Steps& to, const Steps& from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = std::max(to[k], from[k]);
}

bool covers(const Steps& all, const Steps& part) {
  for (std::size_t k = 0; k < part.size(); ++k)
    if (part[k] > all[k]) return false;
  return true;
}

void join(std::shared_ptr<const Steps>& to, const std::shared_ptr<const Steps>& from) {
  if (from == nullptr || to == from) return;
  if (to == nullptr || covers(*from, *to)) {
    to = from;
    return;
  }
  if (covers(*to, *from)) return;
  auto both = std::make_shared<Steps>(*to);
  join(*both, *from);
  to = std::move(both);
}

void join(Clock& to, const Clock& from) {
  join(to.own, from.own);
  join(to.others, from.others);
}

void join(Fenced& to, const Fenced& from) {
  join(to.in_block, from.in_block);
  join(to.beyond, from.beyond);
}

Ordering* ordering_of(const Warp& w) { return w.worker->launch->ordering.get(); }
WarpOrder& order_of(Warp& w) { return w.block->order->warps[w.index]; }

/// Ends the running step: what comes now is not what was told.
void next_step(Warp& w) { ++order_of(w).now.own[w.index]; }

/// A clock of one block for all others; null where that is too much.
std::shared_ptr<const Steps> beyond_block(Ordering& o, const Clock& c, std::uint64_t block) {
  if (!o.global || c.own.empty()) return nullptr;
  o.told_bytes += o.blocks * o.warps * sizeof(std::uint32_t);
  if (o.told_bytes > kMostToldBytes) {
    o.lost = true;
    return nullptr;
  }
  auto all = c.others != nullptr ? std::make_shared<Steps>(*c.others)
                                 : std::make_shared<Steps>(o.blocks * o.warps, 0);
  for (std::size_t k = 0; k < c.own.size(); ++k) {
    std::uint32_t& step = (*all)[block * o.warps + k];
    step = std::max(step, c.own[k]);
  }
  return all;
}

void learn(Ordering& o, Clock& now, const std::shared_ptr<const Steps>& told, std::uint64_t block) {
  if (told == nullptr || now.others == told) return;
  join(now.others, told);
  for (std::size_t k = 0; k < now.own.size(); ++k)
    now.own[k] = std::max(now.own[k], (*told)[block * o.warps + k]);
}

constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 63;

std::uint64_t shared_key(const BlockState& b, std::uint64_t at) {
  return kSharedKey | b.rank << 24 | at / 4;
}

/// The word at a lane's address; 0: none that warps share.
std::uint64_t key_of(const Warp& w, u64 address, Space space) {
  if (space == Space::shared || address - kSharedWindow < kWindowBytes) {
    const u64 at = address & 0xffffffffu;
    // Words of other blocks of the cluster are told by mbarriers.
    return at >> kClusterRankShift == 0 ? shared_key(*w.block, at) : 0;
  }
  if (space == Space::local || address < kGlobalBase || address >= kSharedWindow) return 0;
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

void start_ordering(LaunchState& s) {
  const Kernel& k = *s.kernel;
  if (!k.orders_warps && !k.orders_blocks && !s.cooperative && !s.clustered) return;
  s.ordering = std::make_unique<Ordering>();
  s.ordering->warps = static_cast<std::uint32_t>((s.launch->block.count() + kLanes - 1) / kLanes);
  s.ordering->blocks = s.launch->grid.count();
  s.ordering->global = s.ordering->blocks <= kMostWarps / s.ordering->warps;
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
  for (std::size_t k = 0; k < warps; ++k) {
    b.order->warps[k].now.own.assign(warps, 0);
    b.order->warps[k].now.own[k] = 1;
  }
  b.order->shared.clear();
  b.order->shared.resize(b.shared_bytes / 4 + 1);
  for (Barrier& bar : b.barriers) bar.told = {}, bar.fenced = {};
}

void arrive_in_order(Warp& w, Barrier& bar) {
  if (ordering_of(w) == nullptr) return;
  join(bar.told, order_of(w).now);
  // What each warp made visible before the barrier is behind a flag raised after it.
  join(bar.fenced, order_of(w).fenced);
  next_step(w);
}

void open_in_order(BlockState& b, Barrier& bar, std::uint32_t number) {
  if (b.order == nullptr) return;
  for (Warp& w : b.warps) {
    const bool waits = std::any_of(w.splits.begin(), w.splits.end(), [&](const Split& s) {
      return s.state == Split::State::at_barrier && s.barrier == number;
    });
    if (!waits) continue;
    join(order_of(w).now, bar.told);
    join(order_of(w).fenced, bar.fenced);
  }
  bar.told = {};
  bar.fenced = {};
}

void open_cluster_in_order(Cluster& c) {
  if (c.blocks.front()->order == nullptr) return;
  Ordering& o = *ordering_of(c.blocks.front()->warps.front());
  std::shared_ptr<const Steps> all;
  for (BlockState* b : c.blocks) {
    Clock block;
    for (Warp& w : b->warps) join(block, order_of(w).now);
    join(all, beyond_block(o, block, b->rank));
    join(all, block.others);
  }
  for (BlockState* b : c.blocks) {
    for (Warp& w : b->warps) {
      learn(o, order_of(w).now, all, b->rank);
      next_step(w);
    }
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
    if (it->second.block == w.block->rank) join(now, it->second.in_block);
    if (!narrow) learn(*o, now, it->second.beyond, w.block->rank);
  });
}

void tell_words(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Space space, bool update) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  const bool narrow = (i->aux & kBlockScope) != 0;
  const Fenced& fenced = order_of(w).fenced;
  std::shared_ptr<const Steps> beyond;
  for_words(w, a, m, bytes, space, [&](std::uint64_t key) {
    w.block->order->strong_words.insert(key);
    const auto known = o->words.find(key);
    if (known == o->words.end() && fenced.in_block.own.empty()) return;
    SyncWord& word = known != o->words.end() ? known->second : o->words[key];
    // A store takes the place of what was told before; an update adds to it.
    if (!update) word.beyond = nullptr;
    if (!update || word.block != w.block->rank) word.in_block = {};
    word.block = w.block->rank;
    join(word.in_block, fenced.in_block);
    if (narrow || (key & kSharedKey) != 0) return;
    if (beyond == nullptr) beyond = beyond_block(*o, fenced.beyond, w.block->rank);
    join(word.beyond, beyond);
  });
}

void arrive_at_word(Warp& w, const std::byte* at) {
  Ordering* o = ordering_of(w);
  if (o == nullptr) return;
  SyncWord& word = word_at(*o, *w.block, at);
  const BlockState& there = *block_at(*w.block, at);
  if (&there == w.block)
    join(word.waiting, order_of(w).now);
  else
    join(word.waiting.others, beyond_block(*o, order_of(w).now, w.block->rank));
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
