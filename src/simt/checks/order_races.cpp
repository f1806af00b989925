// SPDX-License-Identifier: Apache-2.0
// Accesses to one word that nothing orders, where warps order each other by more than barriers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simt/checks/order.h"

namespace warpwright::simt {
namespace {

constexpr std::size_t kCrowd = 64, kMostTouches = 4096;  ///< of one word
constexpr std::uint64_t kMostPages = 16384;              ///< of histories, some 900 MB
constexpr std::uint64_t kNoWord = ~std::uint64_t{0};     ///< of another block's shared memory

bool knows(Warp& w, const Touch& t) {
  const Clock& now = w.block->order->warps[w.index].now;
  if (t.block == w.block->rank) return step_over(now.own, t) >= t.step;
  const Ordering& o = *w.worker->launch->ordering;
  if (!o.global || o.lost) return true;
  const Steps* steps = now.others != nullptr ? known_of(*now.others, t.block) : nullptr;
  return steps != nullptr && step_over(*steps, t) >= t.step;
}

/// A warp and its products go on side by side.
bool same_warp(const Touch& a, const Touch& b) {
  return a.block == b.block && a.warp == b.warp && a.product == b.product;
}

/// What makes two accesses a race; `fine` when nothing does.
enum class Clash : std::uint8_t { fine, race, narrow };

/// Whether the warp's block used this word as a flag or counter. Asked for few of all accesses.
bool is_counted(const Warp& w, std::uint64_t word) {
  return w.block->order->strong_words.contains(word);
}

Clash clash_of(Warp& w, const Touch& before, const Touch& me, std::uint64_t word) {
  if (before.step == 0 || (before.bytes & me.bytes) == 0 || same_warp(before, me))
    return Clash::fine;
  if (before.strong && me.strong) {
    const bool near = before.block == me.block;
    return near || (!before.narrow && !me.narrow) || knows(w, before) ? Clash::fine : Clash::narrow;
  }
  // A block that used the word as a flag or counter itself is behind what it saw there.
  if (knows(w, before)) return Clash::fine;
  return before.strong && is_counted(w, word) ? Clash::fine : Clash::race;
}

/// What this access is ordered after need not be remembered: whoever comes in no order with it
/// comes in no order with this one, too. False: no room.
bool note(Warp& w, std::vector<Touch>& list, const Touch& me) {
  if (list.size() % kCrowd == kCrowd - 1)
    std::erase_if(list, [&](const Touch& t) { return t.strong == me.strong && knows(w, t); });
  for (Touch& t : list) {
    if (!same_warp(t, me) || t.strong != me.strong) continue;
    const auto bytes = static_cast<std::uint8_t>(t.bytes | me.bytes);
    t = me;
    t.bytes = bytes;
    return true;
  }
  if (list.size() >= kMostTouches) return false;
  list.push_back(me);
  return true;
}

void say_crowded(LaunchState& s) {
  const Unchecked fact{"crowded_words",
                       "more warps touched one word in no order than it can remember"};
  if (std::find(s.unchecked.begin(), s.unchecked.end(), fact) == s.unchecked.end())
    s.unchecked.push_back(fact);
}

/// Remembers an access beside others, or instead of them.
void add(Warp& w, History& h, const Touch& me, bool write) {
  Touch& first = write ? h.write : h.read;
  if (first.step == 0 || (same_warp(first, me) && first.strong == me.strong)) {
    const auto bytes = static_cast<std::uint8_t>(first.bytes | me.bytes);
    first = me;
    first.bytes = bytes;
    return;
  }
  if (h.more == nullptr) h.more = std::make_unique<History::More>();
  if (!note(w, write ? h.more->writes : h.more->reads, me)) say_crowded(*w.worker->launch);
}

struct Found {
  Clash clash = Clash::fine;
  Touch other;
  bool write = false;  ///< the other is one
};

template <class List>
void look(Warp& w, const Touch& first, const List* more, const Touch& me, std::uint64_t word,
          bool write, Found& found) {
  const auto one = [&](const Touch& t) {
    if (found.clash != Clash::fine) return;
    if (const Clash c = clash_of(w, t, me, word); c != Clash::fine) found = {c, t, write};
  };
  one(first);
  if (more != nullptr)
    for (const Touch& t : *more) one(t);
}

Found find_clash(Warp& w, const History& h, const Touch& me, Access kind, std::uint64_t word) {
  Found found;
  look(w, h.write, h.more ? &h.more->writes : nullptr, me, word, true, found);
  if (kind != Access::load)
    look(w, h.read, h.more ? &h.more->reads : nullptr, me, word, false, found);
  return found;
}

/// Most reads: of words that have one write at most, which the warp is behind.
inline bool is_behind_the_write(Warp& w, const History& h) {
  return (h.more == nullptr || h.more->writes.empty()) && (h.write.step == 0 || knows(w, h.write));
}

/// What becomes of the room of lists: words of shared memory are few and soon need it again, those
/// of global memory are many.
enum class Room : std::uint8_t { kept, given_back };

/// A plain write that everything before is ordered with makes an end of the word's past; after a
/// race that was reported it does so, too.
void remember(Warp& w, History& h, const Touch& me, Access kind, Room room) {
  if (kind == Access::load) return add(w, h, me, false);
  if (!me.strong && me.bytes == 15) {
    if (room == Room::given_back) h.more.reset();
    h.clear();
  }
  add(w, h, me, true);
}

std::string_view text_of(const Touch& t, bool write) {
  if (t.product) return "a matrix product's read";
  if (t.strong) return write ? "an atomic or volatile write" : "an atomic or volatile read";
  return write ? "a write" : "a read";
}

std::string describe(const Warp& w, const Found& f, const Touch& me, Access kind,
                     const std::string& place) {
  const std::string_view mine = text_of(me, kind != Access::load);
  const std::string there = f.other.place < w.kernel->code.size()
                                ? " at " + place_of(w, &w.kernel->code[f.other.place])
                                : std::string();
  if (f.clash == Clash::narrow)
    return fmt::format(
        "{} by block {} and {}{} by block {}: one of them has block scope (.cta), which is too "
        "narrow for a word that both blocks use, {}",
        mine, me.block, text_of(f.other, f.write), there, f.other.block, place);
  if (f.other.block == me.block)
    return fmt::format(
        "{} by warp {} and {}{} by warp {} of block {} with no barrier between them, nor a fence "
        "and a flag, {}",
        mine, me.warp, text_of(f.other, f.write), there, f.other.warp, me.block, place);
  return fmt::format("{} by block {} and {}{} by block {} in no order, {}", mine, me.block,
                     text_of(f.other, f.write), there, f.other.block, place);
}

/// Who accesses a word, and how.
struct Accessing {
  Warp& warp;
  const Ins* at;
  u32 lane;
  Access kind;
};

template <class Place>
void check_word(const Accessing& access, History& h, const Touch& me, std::uint64_t word,
                const Stored& at, Place place) {
  auto& [w, i, lane, kind] = access;
  if (kind == Access::load && is_behind_the_write(w, h)) {
    if ((i->aux & kRememberedOnce) == 0) add(w, h, me, false);
    return;
  }
  const bool shared = at.space == "shared";
  const Found found = find_clash(w, h, me, kind, word);
  if ((i->aux & kRememberedOnce) == 0)
    remember(w, h, me, kind, shared ? Room::kept : Room::given_back);
  if (found.clash == Clash::fine) return;
  FaultKind fault = shared ? FaultKind::shared_race : FaultKind::global_race;
  if (found.clash == Clash::narrow) fault = FaultKind::narrow_scope;
  const auto detail = [&] { return describe(access.warp, found, me, access.kind, place()); };
  if (kind == Access::store && found.write && found.clash == Clash::race)
    return report_store_race(w, i, fault, lane, at, detail);
  report_lazily(w, i, fault, lane, at.address, at.space, detail);
}

Touch touch_of(const Warp& w, const Ins* i, Access kind) {
  Touch me;
  me.block = static_cast<std::uint32_t>(w.block->rank);
  me.warp = w.index;
  me.step = w.block->order->warps[w.index].now.own[w.index];
  me.place = i->id;
  me.strong = kind == Access::atomic || (i->aux & (kStrongAccess | kGuess)) != 0;
  me.narrow = me.strong && (i->aux & kBlockScope) != 0;
  me.product = (i->aux & kOfProduct) != 0;
  if (me.product) me.step = w.wgmma.group + 1;
  return me;
}

std::uint8_t bytes_in(u64 address, u32 bytes, u64 word) {
  const u64 first = std::max(address, word), last = std::min(address + bytes, word + 4);
  return static_cast<std::uint8_t>(((1u << (last - first)) - 1) << (first - word));
}

History* history_of(LaunchState& s, std::uint64_t word) {
  Ordering& o = *s.ordering;
  const std::uint64_t page = word / kHistoryPage;
  if (page != o.last_page) {
    auto& pages = o.pages[page];
    if (pages == nullptr) {
      if (o.pages.size() > kMostPages) {
        o.lost = true;
        return nullptr;
      }
      pages = std::make_unique<History[]>(kHistoryPage);
    }
    o.last_page = page;
    o.last = pages.get();
  }
  return o.last + word % kHistoryPage;
}

}  // namespace

void check_global_order(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind) {
  LaunchState& launch = *w.worker->launch;
  Ordering& o = *launch.ordering;
  if (o.lost) return;
  Touch me = touch_of(w, i, kind);
  for (u64 word = address & ~u64{3}; word < address + bytes; word += 4) {
    const u64 number = (word - kGlobalBase) / 4;
    History* h = history_of(launch, number);
    if (h == nullptr) return;
    me.bytes = bytes_in(address, bytes, word);
    check_word({w, i, lane, kind}, *h, me, number,
               {address, "global", launch.memory->host(address), bytes},
               [&] { return launch.memory->describe(address, bytes); });
  }
}

void check_shared_order(Warp& w, const Ins* i, u32 lane, BlockState& b, u64 address, u32 bytes,
                        Access kind) {
  if (b.order == nullptr || b.order->shared.empty()) return;
  Touch me = touch_of(w, i, kind);
  const u64 key = (u64{1} << 63) | w.block->rank << 24;
  const bool own = &b == w.block;
  for (u64 word = address & ~u64{3}; word < address + bytes; word += 4) {
    me.bytes = bytes_in(address, bytes, word);
    check_word({w, i, lane, kind}, b.order->shared[word / 4], me, own ? key | word / 4 : kNoWord,
               {address, "shared", b.shared + address, bytes},
               [&] { return describe_shared(w, address); });
  }
}

namespace {

void report_visit(const Visit& v, const BlockState& b, std::string_view when) {
  report_lazily(*v.warp, v.at, FaultKind::use_after_free, v.lane, v.address, "shared", [&] {
    return fmt::format(
        "shared memory of block {} of the cluster, {}: a block must not end before the others are "
        "done with its memory (a barrier of the cluster at the end)",
        b.cluster_rank, when);
  });
}

}  // namespace

void visit_block(Warp& w, const Ins* i, u32 lane, BlockState& b, u64 address) {
  if (b.order == nullptr || w.block->order == nullptr) return;
  const std::uint32_t step = w.block->order->warps[w.index].now.own[w.index];
  // The instruction that runs may be a copy that is gone by the end of the block.
  const Visit visit{&w, &w.kernel->code[i->id], step, lane, address};
  if (b.ended) return report_visit(visit, b, "which had ended");
  const std::size_t warps = b.warps.size();
  if (b.visits.empty()) b.visits.resize(warps * b.cluster->blocks.size());
  b.visits[w.block->cluster_rank * warps + w.index] = visit;
}

void end_in_cluster(BlockState& b) {
  b.ended = true;
  for (const Visit& v : b.visits) {
    if (v.warp == nullptr) continue;
    const Touch touch{.block = static_cast<std::uint32_t>(v.warp->block->rank),
                      .warp = v.warp->index,
                      .step = v.step};
    const bool known =
        std::any_of(b.warps.begin(), b.warps.end(), [&](Warp& w) { return knows(w, touch); });
    if (!known) report_visit(v, b, "which may have ended by then");
  }
}

}  // namespace warpwright::simt
