// SPDX-License-Identifier: Apache-2.0
// Races and reads of memory that nobody wrote. Shadow words remember who touched a word since
// the last point at which everybody was in step: the last barrier (shared memory, by warp) or the
// start of the launch (global memory, by block).
#include <fmt/format.h>

#include <algorithm>

#include "simt/access.h"
#include "simt/handlers.h"

namespace warpwright::simt {
namespace {

constexpr std::uint8_t kMany = 255;
constexpr std::uint8_t kAtomic = 16;
constexpr std::uint8_t kWholeWord = 15;

bool plain(const Ins* i) { return (i->aux & kStrongAccess) == 0; }

std::string shared_name(const Warp& w, u64 address) {
  for (const SharedVariable& v : w.kernel->shared)
    if (address >= v.offset && address < v.offset + v.size_bytes)
      return fmt::format("byte {} of '{}'", address - v.offset, v.name);
  return fmt::format("byte {} of dynamic shared memory",
                     address - std::min<u64>(address, w.kernel->static_shared_bytes));
}

enum class Clash : std::uint8_t { none, with_write, with_read, with_atomic };

/// Whether an access by warp `me` clashes with the word's past, and what it leaves behind.
Clash shared_clash(SharedWord& s, std::uint8_t me, std::uint8_t bytes, Access kind) {
  Clash clash = Clash::none;
  const bool atomic_before = (s.written & kAtomic) != 0;
  const bool other_writer = s.writer != 0 && s.writer != me;
  // "Many" writers of plain stores wrote different bytes; which of them wrote these is unknown.
  const bool known_writer = atomic_before || s.writer != kMany;
  const bool overlaps = (s.written & bytes) != 0;
  if (other_writer && known_writer && overlaps && !(kind == Access::atomic && atomic_before))
    clash = atomic_before ? Clash::with_atomic : Clash::with_write;
  const bool other_reader = s.reader != 0 && s.reader != me && (s.read & bytes) != 0 &&
                            (s.reader != kMany || bytes == kWholeWord);
  if (clash == Clash::none && kind != Access::load && other_reader) clash = Clash::with_read;
  if (kind == Access::load) {
    s.reader = s.reader == 0 || s.reader == me ? me : kMany;
    s.read |= bytes;
  } else {
    s.writer = s.writer == 0 || s.writer == me ? me : kMany;
    s.written |= bytes | (kind == Access::atomic ? kAtomic : 0);
  }
  return clash;
}

std::string_view text_of(Clash c) {
  switch (c) {
    case Clash::with_write:
      return "a write";
    case Clash::with_read:
      return "a read";
    case Clash::with_atomic:
      return "an atomic";
    default:
      return "";
  }
}

void check_shared_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const auto me = static_cast<std::uint8_t>(w.index + 1);
  for (u64 word = address / 4; word * 4 < address + bytes; ++word) {
    SharedWord& s = b.shared_words[word];
    if (s.epoch != b.epoch) s = {b.epoch, 0, 0, 0, 0};
    const std::uint8_t touched =
        bytes >= 4 ? kWholeWord : static_cast<std::uint8_t>(((1u << bytes) - 1) << (address & 3));
    const std::uint8_t other = kind == Access::load              ? s.writer
                               : s.reader != 0 && s.reader != me ? s.reader
                                                                 : s.writer;
    const Clash c = shared_clash(s, me, touched, kind);
    if (c == Clash::none) continue;
    report_lazily(w, i, FaultKind::shared_race, lane, address, "shared", [&] {
      const std::string who = other == kMany ? "other warps" : fmt::format("warp {}", other - 1);
      return fmt::format("{} by warp {} and {} by {} with no barrier between them, {}",
                         kind == Access::load    ? "a read"
                         : kind == Access::store ? "a write"
                                                 : "an atomic",
                         w.index, text_of(c), who, shared_name(w, address));
    });
    return;
  }
}

// A word of global memory: tag of the launch, block + 1 of the writer and of the reader.
constexpr u64 kBlockMask = (u64{1} << 24) - 1;
constexpr u64 kManyBlocks = kBlockMask;
constexpr u64 kAtomicBit = u64{1} << 56 << 4;

struct GlobalWord {
  u64 writer, reader, written;
  bool atomic;
};
GlobalWord unpack(u64 raw, u32 tag) {
  if ((raw & 0xff) != tag) return {0, 0, 0, false};
  return {raw >> 8 & kBlockMask, raw >> 32 & kBlockMask, raw >> 56 & 15, (raw & kAtomicBit) != 0};
}
u64 pack(const GlobalWord& g, u32 tag) {
  return tag | g.writer << 8 | g.reader << 32 | g.written << 56 | (g.atomic ? kAtomicBit : 0);
}

bool has_fenced(const LaunchState& l, u64 block_plus_one) {
  if (block_plus_one == kManyBlocks) return true;
  return l.fenced[block_plus_one - 1].load(std::memory_order_relaxed) != 0;
}

void report_global_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind,
                        u64 other) {
  report_lazily(w, i, FaultKind::global_race, lane, address, "global", [&] {
    const std::string who =
        other == kManyBlocks ? "other blocks" : fmt::format("block {}", other - 1);
    return fmt::format("{} by block {} and an access by {} in no order, {}",
                       kind == Access::load    ? "a read"
                       : kind == Access::store ? "a write"
                                               : "an atomic",
                       w.block->rank, who, w.worker->launch->memory->describe(address, bytes));
  });
}

void check_global_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind) {
  LaunchState& launch = *w.worker->launch;
  const u64 me = w.block->rank + 1;
  if (me >= kManyBlocks) return;
  const u64 first = (address - kGlobalBase) / 4;
  const u64 last = (address - kGlobalBase + bytes - 1) / 4;
  const u64 touched = bytes >= 4 ? 15 : ((1u << bytes) - 1) << (address & 3);
  for (u64 k = first; k <= last; ++k) {
    std::atomic_ref<u64> word(launch.race_words[k]);
    const u64 raw = word.load(std::memory_order_relaxed);
    GlobalWord g = unpack(raw, launch.tag);
    const bool both_atomic = kind == Access::atomic && g.atomic;
    const bool other_writer = g.writer != 0 && g.writer != me && (g.written & touched) != 0 &&
                              (g.writer != kManyBlocks || g.atomic);
    const bool other_reader =
        kind != Access::load && g.reader != 0 && g.reader != me && touched == 15;
    if (other_writer && !both_atomic && !has_fenced(launch, g.writer))
      report_global_race(w, i, lane, address, bytes, kind, g.writer);
    else if (other_reader && !has_fenced(launch, g.reader))
      report_global_race(w, i, lane, address, bytes, kind, g.reader);
    if (kind == Access::load) {
      g.reader = g.reader == 0 || g.reader == me ? me : kManyBlocks;
    } else {
      g.writer = g.writer == 0 || g.writer == me ? me : kManyBlocks;
      g.written |= touched;
      g.atomic = g.atomic || kind == Access::atomic;
    }
    const u64 now = pack(g, launch.tag);
    if (now != raw) word.store(now, std::memory_order_relaxed);
  }
}

void set_valid(std::uint8_t* bits, u64 first, u64 count) {
  for (u64 at = first; at < first + count;) {
    const u64 n = std::min<u64>(8 - at % 8, first + count - at);
    const auto mask = static_cast<std::uint8_t>(((1u << n) - 1) << (at % 8));
    std::atomic_ref<std::uint8_t> byte(bits[at / 8]);
    if ((byte.load(std::memory_order_relaxed) & mask) != mask)
      byte.fetch_or(mask, std::memory_order_relaxed);
    at += n;
  }
}

/// SharedWord as one number: epoch, writer, reader, written, read from the lowest bits up.
constexpr u64 kEpochBits = 0xffffffffu;

/// Notes an access to whole words by one warp; false when any of them clashes, and then the slow
/// way goes over all of them again, which changes nothing for those already noted. Branch-free,
/// so that the compiler makes vector code of it.
template <bool kLoads>
bool shared_words_clean(u64* words, u64 count, u64 epoch, u64 me) {
  u64 clash = 0;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & kEpochBits) == epoch ? ~u64{0} : 0;
    const u64 writer = words[k] >> 32 & 255 & same, reader = words[k] >> 40 & 255 & same;
    clash |= (writer == 0 ? 0 : ~u64{0}) & (writer ^ me);
    if (!kLoads) clash |= (reader == 0 ? 0 : ~u64{0}) & (reader ^ me);
  }
  if (clash != 0) return false;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & kEpochBits) == epoch ? ~u64{0} : 0;
    const u64 x = (words[k] & same) | epoch;
    if (kLoads) {
      const u64 reader = x >> 40 & 255;
      const u64 other = (reader == 0 ? 0 : ~u64{0}) & (reader == me ? 0 : ~u64{0});
      words[k] = x | (me | (other & kMany)) << 40 | u64{kWholeWord} << 56;
    } else {
      words[k] = x | me << 32 | u64{kWholeWord} << 48;
    }
  }
  return true;
}

/// Neighbours mostly have one history: then the first word speaks for all.
template <class Clean>
bool run_clean(u64* words, u64 count, Clean clean) {
  const u64 first = words[0];
  u64 differ = 0;
  for (u64 k = 1; k < count; ++k) differ |= words[k] ^ first;
  if (differ != 0) return clean(words, count);
  u64 word = first;
  if (!clean(&word, 1)) return false;
  if (word == first) return true;
  for (u64 k = 0; k < count; ++k) words[k] = word;
  return true;
}

bool shared_run_clean(BlockState& b, u64 me, u64 at, u64 span, Access kind) {
  u64* words = reinterpret_cast<u64*>(b.shared_words.data() + at / 4);
  return run_clean(words, span / 4, [&](u64* w, u64 n) {
    return kind == Access::load ? shared_words_clean<true>(w, n, b.epoch, me)
                                : shared_words_clean<false>(w, n, b.epoch, me);
  });
}

/// The same for global memory and blocks.
template <bool kLoads>
bool global_words_clean(u64* words, u64 count, u64 tag, u64 me) {
  u64 clash = 0;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & 255) == tag ? ~u64{0} : 0;
    const u64 writer = words[k] >> 8 & kBlockMask & same,
              reader = words[k] >> 32 & kBlockMask & same;
    clash |= (writer == 0 ? 0 : ~u64{0}) & (writer ^ me);
    if (!kLoads) clash |= (reader == 0 ? 0 : ~u64{0}) & (reader ^ me);
  }
  if (clash != 0) return false;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & 255) == tag ? ~u64{0} : 0;
    const u64 x = (words[k] & same) | tag;
    if (kLoads) {
      const u64 reader = x >> 32 & kBlockMask;
      const u64 other = (reader == 0 ? 0 : ~u64{0}) & (reader == me ? 0 : ~u64{0});
      words[k] = x | (me | (other & kManyBlocks)) << 32;
    } else {
      words[k] = x | me << 8 | u64{15} << 56;
    }
  }
  return true;
}

bool global_run_clean(LaunchState& launch, u64 me, u64 at, u64 span, Access kind) {
  u64* words = launch.race_words + (at - kGlobalBase) / 4;
  const auto clean = [&](u64* w, u64 n) {
    return kind == Access::load ? global_words_clean<true>(w, n, launch.tag, me)
                                : global_words_clean<false>(w, n, launch.tag, me);
  };
  if (!launch.many_threads) return run_clean(words, span / 4, clean);
  // Other threads of ours may be at the same words: one by one, atomically.
  for (u64 k = 0; k < span / 4; ++k) {
    std::atomic_ref<u64> shared(words[k]);
    const u64 before = shared.load(std::memory_order_relaxed);
    u64 word = before;
    if (!clean(&word, 1)) return false;
    if (word != before) shared.store(word, std::memory_order_relaxed);
  }
  return true;
}

/// The addresses of a simple access, for the checks that go lane by lane.
void spread(u64* a, u64 at, u64 span, u32 bytes) {
  for (u32 l = 0; l < kLanes; ++l) a[l] = span == bytes ? at : at + u64{l} * bytes;
}

}  // namespace

void check_shared_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const bool valid = kind == Access::store || all_bits(b.shared_valid.data(), at, span);
  const bool races = b.race_checks && plain(i);
  const bool words = at % 4 == 0 && span % 4 == 0;
  if (valid && (!races || (words && shared_run_clean(b, w.index + 1, at, span, kind)))) {
    if (kind == Access::store) set_bits(b.shared_valid.data(), at, span, true);
    return;
  }
  u64 a[kLanes];
  spread(a, at, span, bytes);
  check_shared(w, i, a, kAllLanes, bytes, kind);
}

void check_global_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind,
                      const AccessMemo& memo) {
  LaunchState& launch = *w.worker->launch;
  std::uint8_t* bits = launch.memory->valid_bits();
  const bool valid =
      memo.fully_valid || kind == Access::store || all_bits(bits, at - kGlobalBase, span);
  const u64 me = w.block->rank + 1;
  const bool races =
      launch.race_words != nullptr && plain(i) && !memo.read_only && me < kManyBlocks;
  const bool words = at % 4 == 0 && span % 4 == 0;
  if (valid && (!races || (words && global_run_clean(launch, me, at, span, kind)))) {
    if (kind == Access::store && !memo.fully_valid) set_valid(bits, at - kGlobalBase, span);
    return;
  }
  u64 a[kLanes];
  spread(a, at, span, bytes);
  check_global(w, i, a, kAllLanes, bytes, kind, memo);
}

void check_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const bool races = b.race_checks && (plain(i) || kind == Access::atomic);
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    if (kind != Access::store && !all_bits(b.shared_valid.data(), a[l], bytes)) {
      report_lazily(w, i, FaultKind::uninitialised_read, l, a[l], "shared",
                    [&] { return shared_name(w, a[l]) + " was never written"; });
    }
    if (kind != Access::load) set_bits(b.shared_valid.data(), a[l], bytes, true);
    if (races) check_shared_race(w, i, l, a[l], bytes, kind);
  }
}

void check_global(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind,
                  const AccessMemo& memo) {
  LaunchState& launch = *w.worker->launch;
  std::uint8_t* bits = launch.memory->valid_bits();
  const bool races =
      launch.race_words != nullptr && (plain(i) || kind == Access::atomic) && !memo.read_only;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
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
      if (kind != Access::load) set_valid(bits, a[l] - kGlobalBase, bytes);
    }
    if (races) check_global_race(w, i, l, a[l], bytes, kind);
  }
}

}  // namespace warpwright::simt
