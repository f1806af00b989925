// SPDX-License-Identifier: Apache-2.0
// Races and reads of memory that nobody wrote, in global memory. Two shadow words per word of
// memory hold its last writer and its last reader: the block, and within the block the warp and the
// number of barriers passed. Blocks are ordered by fences only, warps of a block by barriers. While
// whole warps access whole lines of 128 bytes, one pair of words stands for all 32 of a line.
#include <fmt/format.h>

#include <algorithm>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/checks/race_rules.h"

namespace warpwright::simt {
namespace {

bool plain(const Ins* i) { return (i->aux & (kStrongAccess | kGuess)) == 0; }

/// Another check looks for races in global memory.
bool follows(const LaunchState& s) { return s.ordering != nullptr && s.ordering->global; }

struct Toucher {
  u64 block = 0, warp = 0, epoch = 0, bytes = 0;
  bool atomic = false;
};

Toucher unpack(u64 raw, u64 tag) {
  if ((raw & kTagBits) != tag) return {};
  return {raw >> 8 & kManyBlocks, raw >> 32 & kManyWarps, raw >> 38 & 0xffff, raw >> 54 & 15,
          (raw & kAtomicBit) != 0};
}

u64 pack(const Toucher& t, u64 tag) {
  return tag | t.block << 8 | t.warp << 32 | t.epoch << 38 | t.bytes << 54 |
         (t.atomic ? kAtomicBit : 0);
}

/// Whoever accesses now.
Toucher self(const Warp& w, u64 bytes) {
  return {w.block->rank + 1, w.index, w.block->epoch & 0xffff, bytes, false};
}

bool has_fenced(const LaunchState& l, u64 block) {
  if (block == kManyBlocks) return l.any_fenced.load(std::memory_order_relaxed);
  return l.fenced[block - 1].load(std::memory_order_relaxed) != 0;
}

enum class Order : std::uint8_t { fine, across_blocks, within_block };

/// Who touched these bytes of a word is not known any more: that is told at the end.
Order vague(const Warp& w) {
  w.worker->launch->vague.store(true, std::memory_order_relaxed);
  return Order::fine;
}

/// Whether an earlier access of somebody is unordered with one of `me` now.
Order order_of(const Warp& w, const Toucher& before, const Toucher& me) {
  if (before.block == 0 || (before.bytes & me.bytes) == 0) return Order::fine;
  const bool whole = me.bytes == 15;
  if (before.block != me.block) {
    // Many blocks that touched parts of a word: which of them touched these bytes is unknown.
    if (before.block == kManyBlocks && !before.atomic && !whole) return vague(w);
    return has_fenced(*w.worker->launch, before.block) ? Order::fine : Order::across_blocks;
  }
  if (before.warp == me.warp || before.epoch != me.epoch) return Order::fine;
  if (before.warp == kManyWarps && !before.atomic && !whole) return vague(w);
  return w.block->race_checks && !w.block->fenced ? Order::within_block : Order::fine;
}

std::string_view text_of(Access kind) {
  return kind == Access::load ? "a read" : kind == Access::store ? "a write" : "an atomic";
}

struct Race {
  Order order = Order::fine;
  Toucher other;
  std::string_view what;  ///< "a write", of the other
};

void report_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind,
                 const Race& race) {
  LaunchState& launch = *w.worker->launch;
  const bool guess = (i->aux & kGuess) != 0 && race.what == "an atomic";
  const auto detail = [&] {
    const std::string place = launch.memory->describe(address, bytes);
    if (race.order == Order::within_block) {
      const std::string who =
          race.other.warp == kManyWarps ? "other warps" : fmt::format("warp {}", race.other.warp);
      return fmt::format("{} by warp {} and {} by {} of block {} with no barrier between them, {}",
                         text_of(kind), w.index, race.what, who, w.block->rank, place);
    }
    const std::string who = race.other.block == kManyBlocks
                                ? "other blocks"
                                : fmt::format("block {}", race.other.block - 1);
    return fmt::format("{} by block {} and {} by {} in no order, {}", text_of(kind), w.block->rank,
                       race.what, who, place);
  };
  if (kind == Access::store && race.what == "a write")
    return report_store_race(w, i, FaultKind::global_race, lane,
                             {address, "global", launch.memory->host(address), bytes}, detail);
  report_lazily(w, i, guess ? FaultKind::benign_race : FaultKind::global_race, lane, address,
                "global", detail);
}

/// What the word remembers after an access of `me`.
Toucher merged(const Toucher& before, const Toucher& me) {
  Toucher now = me;
  // A new interval between barriers starts afresh within the block.
  if (before.block == 0 || (before.block == me.block && before.epoch != me.epoch)) return now;
  now.bytes |= before.bytes;
  now.atomic |= before.atomic;
  if (before.block != me.block)
    now.block = kManyBlocks;
  else if (before.warp != me.warp)
    now.warp = kManyWarps;
  return now;
}

/// Gives the words of a line its history, before one of them is looked at. One thread does it,
/// others that come meanwhile wait.
void open_used_line(LaunchState& launch, u64 line) {
  std::atomic_ref<u64> first(launch.race_lines[2 * line]);
  u64 write = first.load(std::memory_order_acquire);
  while (true) {
    if ((write & (kTagBits | kWordsBit)) == (launch.tag | kWordsBit)) return;
    if (is_open(write, launch.tag) != 0) {
      write = first.load(std::memory_order_acquire);
      continue;
    }
    if (!launch.many_threads ||
        first.compare_exchange_strong(write, launch.tag | kBusyBit, std::memory_order_acq_rel))
      break;
  }
  if ((write & kTagBits) != launch.tag) write = 0;
  u64 read = std::atomic_ref<u64>(launch.race_lines[2 * line + 1]).load(std::memory_order_relaxed);
  if ((read & kTagBits) != launch.tag) read = 0;
  for (u64 k = line * kLineWords; k < (line + 1) * kLineWords; ++k) {
    std::atomic_ref<u64>(launch.race_writes[k]).store(write, std::memory_order_relaxed);
    std::atomic_ref<u64>(launch.race_reads[k]).store(read, std::memory_order_relaxed);
  }
  first.store(launch.tag | kWordsBit, std::memory_order_release);
}

inline void open_line(LaunchState& launch, u64 line) {
  std::atomic_ref<u64> first(launch.race_lines[2 * line]), second(launch.race_lines[2 * line + 1]);
  u64 write = first.load(std::memory_order_acquire);
  const u64 open = launch.tag | kWordsBit;
  if ((write & (kTagBits | kWordsBit)) == open) return;
  // A line that nobody touched in this launch has words that say nothing about it, either.
  const u64 read = second.load(std::memory_order_relaxed);
  if ((write & kTagBits) != launch.tag && (read & kTagBits) != launch.tag) {
    if (!launch.many_threads) return first.store(open, std::memory_order_relaxed);
    if (first.compare_exchange_strong(write, open, std::memory_order_acq_rel)) return;
  }
  open_used_line(launch, line);
}

void check_global_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind) {
  LaunchState& launch = *w.worker->launch;
  // No access crosses a line: sizes are powers of two, and addresses are multiples of them.
  if (launch.race_lines != nullptr) open_line(launch, (address - kGlobalBase) / kLineBytes);
  const u64 first = (address - kGlobalBase) / 4;
  const u64 last = (address - kGlobalBase + bytes - 1) / 4;
  Toucher me = self(w, bytes >= 4 ? 15 : ((u64{1} << bytes) - 1) << (address & 3));
  if (me.block >= kManyBlocks) return;
  me.atomic = kind == Access::atomic;
  for (u64 k = first; k <= last; ++k) {
    std::atomic_ref<u64> writes(launch.race_writes[k]), reads(launch.race_reads[k]);
    const Toucher writer = unpack(writes.load(std::memory_order_relaxed), launch.tag);
    const Toucher reader = unpack(reads.load(std::memory_order_relaxed), launch.tag);
    Race race;
    if (!(me.atomic && writer.atomic))
      race = {order_of(w, writer, me), writer, writer.atomic ? "an atomic" : "a write"};
    if (race.order == Order::fine && kind != Access::load)
      race = {order_of(w, reader, me), reader, "a read"};
    if (race.order != Order::fine) report_race(w, i, lane, address, bytes, kind, race);
    if ((i->aux & kGuess) != 0) continue;
    if (kind == Access::load)
      reads.store(pack(merged(reader, me), launch.tag), std::memory_order_relaxed);
    else
      writes.store(pack(merged(writer, me), launch.tag), std::memory_order_relaxed);
  }
}

void set_valid(std::uint8_t* bits, u64 first, u64 count, bool alone) {
  if (alone) return set_bits(bits, first, count, true);
  for (u64 at = first; at < first + count;) {
    const u64 n = std::min<u64>(8 - at % 8, first + count - at);
    const auto mask = static_cast<std::uint8_t>(((1u << n) - 1) << (at % 8));
    std::atomic_ref<std::uint8_t> byte(bits[at / 8]);
    if ((byte.load(std::memory_order_relaxed) & mask) != mask)
      byte.fetch_or(mask, std::memory_order_relaxed);
    at += n;
  }
}

/// Notes reads of whole words; false when one of them was written by somebody else, and then
/// nothing is noted. Branch-free, so that the compiler makes vector code of it.
bool reads_clean(const u64* writes, u64* reads, u64 count, u64 key) {
  u64 clash = 0;
  for (u64 k = 0; k < count; ++k) clash |= foreign(writes[k], key);
  if (clash != 0) return false;
  for (u64 k = 0; k < count; ++k) reads[k] = noted_read(reads[k], key);
  return true;
}

/// `reads` is null where nobody has read anything.
bool writes_clean(u64* writes, const u64* reads, u64 count, u64 key) {
  u64 clash = 0;
  for (u64 k = 0; k < count; ++k) clash |= foreign(writes[k], key);
  for (u64 k = 0; reads != nullptr && k < count; ++k) clash |= foreign(reads[k], key);
  if (clash != 0) return false;
  for (u64 k = 0; k < count; ++k) writes[k] = key | kWholeWord;
  return true;
}

bool all_equal(const u64* words, u64 count) {
  u64 differ = 0;
  for (u64 k = 1; k < count; ++k) differ |= words[k] ^ words[0];
  return differ == 0;
}

/// Neighbours mostly have one history: then the first word speaks for all.
bool run_clean(u64* writes, u64* reads, u64 count, u64 key, bool loads) {
  if (!all_equal(writes, count) || (reads != nullptr && !all_equal(reads, count)))
    return loads ? reads_clean(writes, reads, count, key) : writes_clean(writes, reads, count, key);
  u64 write = writes[0], read = reads != nullptr ? reads[0] : 0;
  if (!(loads ? reads_clean(&write, &read, 1, key) : writes_clean(&write, &read, 1, key)))
    return false;
  u64* changed = loads ? reads : writes;
  const u64 now = loads ? read : write;
  if (changed[0] == now) return true;
  for (u64 k = 0; k < count; ++k) changed[k] = now;
  return true;
}

/// What a warp does to a piece of memory.
struct Step {
  u64 key;
  bool loads;
  bool unread;  ///< a write where nobody has read
};

/// A run of words by one warp.
bool words_clean(LaunchState& launch, u64 first, u64 count, const Step& step) {
  const u64 key = step.key;
  const bool loads = step.loads;
  u64* writes = launch.race_writes + first;
  u64* reads = step.unread ? nullptr : launch.race_reads + first;
  if (!launch.many_threads) return run_clean(writes, reads, count, key, loads);
  // Other threads of ours may be at the same words: on copies, then back what has changed.
  for (u64 from = 0; from < count; from += kLineWords) {
    const u64 n = std::min(count - from, kLineWords);
    u64 write[kLineWords], read[kLineWords], before[kLineWords];
    for (u64 k = 0; k < n; ++k) {
      write[k] = std::atomic_ref<u64>(writes[from + k]).load(std::memory_order_relaxed);
      read[k] = reads == nullptr
                    ? 0
                    : std::atomic_ref<u64>(reads[from + k]).load(std::memory_order_relaxed);
      before[k] = loads ? read[k] : write[k];
    }
    if (!run_clean(write, reads != nullptr ? read : nullptr, n, key, loads)) return false;
    for (u64 k = 0; k < n; ++k) {
      const u64 now = loads ? read[k] : write[k];
      if (now == before[k]) continue;
      std::atomic_ref<u64>(loads ? reads[from + k] : writes[from + k])
          .store(now, std::memory_order_relaxed);
    }
  }
  return true;
}

bool global_run_clean(LaunchState& launch, u64 at, u64 span, const Step& step) {
  u64 offset = at - kGlobalBase;
  if (launch.race_lines == nullptr) return words_clean(launch, offset / 4, span / 4, step);
  for (const u64 end = offset + span; offset < end;) {
    const u64 line = offset / kLineBytes;
    const u64 bytes = std::min(end - offset, kLineBytes - offset % kLineBytes);
    const LineAnswer answer = bytes == kLineBytes
                                  ? line_access(launch.race_lines + 2 * line, step.key,
                                                step.loads ? 1 : 0, launch.many_threads ? 1 : 0)
                                  : kAskWords;
    if (answer == kLineClashes) return false;
    if (answer == kAskWords) {
      open_line(launch, line);
      if (!words_clean(launch, offset / 4, bytes / 4, step)) return false;
    }
    offset += bytes;
  }
  return true;
}

/// One access of a lane to whole words of a line that is open.
inline bool lane_clean(LaunchState& launch, u64 offset, u32 bytes, const Step& step) {
  const u64 key = step.key;
  for (u64 k = offset / 4; k < (offset + bytes) / 4; ++k) {
    std::atomic_ref<u64> writes(launch.race_writes[k]), reads(launch.race_reads[k]);
    const u64 write = writes.load(std::memory_order_relaxed);
    if (foreign(write, key) != 0) return false;
    if (step.loads) {
      const u64 read = reads.load(std::memory_order_relaxed);
      if (const u64 now = noted_read(read, key); now != read)
        reads.store(now, std::memory_order_relaxed);
    } else {
      if (!step.unread && foreign(reads.load(std::memory_order_relaxed), key) != 0) return false;
      if (write != (key | kWholeWord)) writes.store(key | kWholeWord, std::memory_order_relaxed);
    }
  }
  return true;
}

/// The same for lanes here and there, by pieces whose lanes are neighbours, up or down.
bool pieces_clean(LaunchState& launch, const u64* a, u32 m, u32 bytes, const Step& step) {
  u64 opened = ~u64{0};
  for (u32 l = 0; l < kLanes;) {
    if ((m >> l & 1) == 0) {
      ++l;
      continue;
    }
    u32 end = l + 1;
    const u64 apart = end < kLanes && a[end] + bytes == a[l] ? u64{0} - bytes : bytes;
    while (end < kLanes && (m >> end & 1) != 0 && a[end] == a[end - 1] + apart) ++end;
    if (end == l + 1) {
      const u64 offset = a[l] - kGlobalBase, line = offset / kLineBytes;
      if (launch.race_lines != nullptr && line != opened) open_line(launch, opened = line);
      if (!lane_clean(launch, offset, bytes, step)) return false;
    } else if (!global_run_clean(launch, std::min(a[l], a[end - 1]), u64{bytes} * (end - l),
                                 step)) {
      return false;
    }
    // Lanes at the address that the last one had add nothing.
    const u64 last = a[end - 1];
    while (end < kLanes && (m >> end & 1) != 0 && a[end] == last) ++end;
    l = end;
  }
  return true;
}

}  // namespace

void set_race_keys(const LaunchState& s, BlockState& b) {
  const bool watched = s.race_writes != nullptr && !follows(s) && b.rank + 1 < kManyBlocks;
  const u64 block = watched ? pack({b.rank + 1, 0, b.epoch & 0xffff, 0, false}, s.tag) : 0;
  for (Warp& w : b.warps) w.race_key = watched ? block | u64{w.index} << 32 : 0;
}

void end_quiet(LaunchState& s) {
  if (s.loud.exchange(true)) return;
  if (follows(s))
    s.unchecked.push_back({"reads_before_a_write",
                           "a buffer was written through an address that was computed from another "
                           "one's: earlier reads of it were not noted"});
  // Who read what was not noted, only that it was: by many, as far as anybody knows.
  const u64 many = pack({kManyBlocks, kManyWarps, 0, 15, false}, s.tag);
  const std::vector<Allocation>& all = s.memory->allocations();
  for (std::size_t k = 0; k < s.quiet.size(); ++k) {
    if (!s.quiet[k]) continue;
    for (u64 at = all[k].begin - kGlobalBase; at < all[k].end() - kGlobalBase; at += 32) {
      if (s.touched_read[at / kSectorBytes] == 0) continue;
      if (s.race_lines != nullptr) open_line(s, at / kLineBytes);
      for (u64 word = at / 4; word < at / 4 + 8; ++word)
        std::atomic_ref<u64>(s.race_reads[word]).store(many, std::memory_order_relaxed);
    }
  }
}

void check_global_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind,
                      const AccessMemo& memo) {
  LaunchState& launch = *w.worker->launch;
  // Most accesses: a whole line of a buffer that the host filled.
  if (span == kLineBytes && at % kLineBytes == 0 && memo.fully_valid && !memo.read_only &&
      launch.race_lines != nullptr && w.race_key != 0 && plain(i) &&
      line_access(launch.race_lines + 2 * ((at - kGlobalBase) / kLineBytes), w.race_key,
                  kind == Access::load ? 1 : 0, launch.many_threads ? 1 : 0) == kLineIsFine)
    return;
  std::uint8_t* bits = launch.memory->valid_bits();
  const bool valid =
      memo.fully_valid || kind == Access::store || all_bits(bits, at - kGlobalBase, span);
  const bool followed = follows(launch) && !memo.read_only && !memo.quiet;
  const bool guess = (i->aux & kGuess) != 0;
  const bool races =
      followed || (w.race_key != 0 && (plain(i) || guess) && !memo.read_only && !memo.quiet);
  const bool words = !followed && !guess && at % 4 == 0 && span % 4 == 0;
  const Step step{w.race_key, kind == Access::load, kind == Access::store && memo.unread()};
  if (valid && (!races || (words && global_run_clean(launch, at, span, step)))) {
    if (kind == Access::store && !memo.fully_valid)
      set_valid(bits, at - kGlobalBase, span, !launch.many_threads);
    return;
  }
  u64 a[kLanes];
  for (u32 l = 0; l < kLanes; ++l) a[l] = span == bytes ? at : at + u64{l} * bytes;
  check_global(w, i, a, kAllLanes, bytes, kind, memo);
}

void check_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                  const AccessMemo& memo) {
  LaunchState& launch = *w.worker->launch;
  std::uint8_t* bits = launch.memory->valid_bits();
  u32 racing = m;
  for (u32 l = 0; l < kLanes && memo.quiet; ++l)
    if (a[l] >= memo.low && a[l] < memo.high) racing &= ~(u32{1} << l);
  const bool followed = follows(launch);
  const bool guess = (i->aux & kGuess) != 0;
  bool races = launch.race_writes != nullptr &&
               (followed || guess || plain(i) || kind == Access::atomic) && !memo.read_only &&
               racing != 0;
  // Noting accesses twice changes nothing, so the slow way may start again from the first lane.
  if (races && kind != Access::atomic && bytes >= 4 && w.race_key != 0 && !guess) {
    bool unread = kind == Access::store && memo.unread();
    for (u32 l = 0; l < kLanes && unread; ++l)
      unread = (racing >> l & 1) == 0 || (a[l] >= memo.low && a[l] < memo.high);
    races = !pieces_clean(launch, a, racing, bytes, {w.race_key, kind == Access::load, unread});
  }
  const bool whole = memo.fully_valid && !races;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0 || (whole && a[l] >= memo.low && a[l] < memo.high)) continue;
    const bool covered = memo.fully_valid && a[l] >= memo.low && a[l] < memo.high;
    if (!covered) {
      if (kind != Access::store && !all_bits(bits, a[l] - kGlobalBase, bytes)) {
        const Allocation* al = launch.memory->nearest(a[l]);
        if (al == nullptr || !al->fully_valid) {
          report_lazily(w, i, FaultKind::uninitialised_read, l, a[l], "global", [&] {
            return launch.memory->describe(a[l], bytes) + " was never written";
          });
        }
      }
      if (kind != Access::load) set_valid(bits, a[l] - kGlobalBase, bytes, !launch.many_threads);
    }
    if (!races || (racing >> l & 1) == 0) continue;
    if (!followed)
      check_global_race(w, i, l, a[l], bytes, kind);
    else if (l == 0 || (m >> (l - 1) & 1) == 0 || a[l] != a[l - 1])
      check_global_order(w, i, l, a[l], bytes, kind);
  }
}

}  // namespace warpwright::simt
