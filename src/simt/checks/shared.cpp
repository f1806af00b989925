// SPDX-License-Identifier: Apache-2.0
// Races and reads of memory that nobody wrote, in shared memory. Shadow words remember
// who touched a word since the last barrier; a second word remembers the last writer's lane and
// instruction, for what lanes of one warp do to each other and for the report. Reads are noted only
// when somebody writes before the next barrier: as long as nobody does, they are just listed.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simt/checks/access.h"
#include "simt/checks/order.h"
#include "simt/checks/shadow_rules.h"

namespace warpwright::simt {
namespace {

constexpr std::uint8_t kMany = 255;
constexpr std::uint8_t kAtomic = 16;
constexpr std::uint8_t kAllBytes = kFourBytes;

bool plain(const Ins* i) { return (i->aux & (kStrongAccess | kGuess)) == 0; }

constexpr u32 kManyLanes = 63;
constexpr u32 kSyncBits = 26;
u64 writer_word(const Warp& w, const Ins* i, u32 lane) {
  return writer_of(lane, i->id, w.sync_epoch);
}
u32 writer_lane(u64 word) { return static_cast<u32>(word & 63); }
u32 writer_instruction(u64 word) { return static_cast<u32>(word >> 6); }
u64 writer_sync(u64 word) { return word >> 38; }

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
                            (s.reader != kMany || bytes == kAllBytes);
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

std::string_view text_of(Access kind) {
  return kind == Access::load ? "a read" : kind == Access::store ? "a write" : "an atomic";
}

std::string describe_clash(const Warp& w, Clash c, Access kind, std::uint8_t other, u64 writer,
                           u64 address) {
  const std::string who = other == kMany ? "other warps" : fmt::format("warp {}", other - 1);
  std::string what = c == Clash::with_read ? "a read" : "an atomic";
  if (c == Clash::with_write) what = "a write";
  // The last writer's instruction is known; readers leave only their warp.
  if (c != Clash::with_read && writer_instruction(writer) < w.kernel->code.size())
    what += " at " + place_of(w, &w.kernel->code[writer_instruction(writer)]);
  return fmt::format("{} by warp {} and {} by {} with no barrier between them, {}", text_of(kind),
                     w.index, what, who, describe_shared(w, address));
}

/// A read of what another lane of the warp wrote, with no synchronisation of the warp between.
void check_warp_race(Warp& w, const Ins* i, u32 lane, u64 address, u64 writer) {
  if (writer_lane(writer) == lane || writer_lane(writer) == kManyLanes) return;
  if (writer_sync(writer) != (w.sync_epoch & ((1u << kSyncBits) - 1))) return;
  report_lazily(w, i, FaultKind::warp_race, lane, address, "shared", [&] {
    return fmt::format(
        "lane {} reads what lane {} of its warp wrote at {} with no __syncwarp between: lanes need "
        "not keep step, and volatile does not order them; {}",
        lane, writer_lane(writer), place_of(w, &w.kernel->code[writer_instruction(writer)]),
        describe_shared(w, address));
  });
}

void note_writer(u64& word, const Warp& w, const Ins* i, u32 lane, bool own) {
  const u64 now = writer_word(w, i, lane);
  // Several lanes in one step: whose value or which bytes stay is not known here.
  const bool crowded = own && writer_sync(word) == writer_sync(now) && writer_lane(word) != lane &&
                       writer_instruction(word) == i->id;
  word = crowded ? (now & ~u64{63}) | kManyLanes : now;
}

/// Whether the warp may have been told that the other one is done: by a flag, which it asked for
/// and which the other raised behind a fence. Which flag, and when, is not followed.
bool told_by_flag(const Warp& w, std::uint8_t other) {
  const BlockState& b = *w.block;
  const u64 me = u64{1} << w.index;
  const u64 others = other == kMany ? ~me : u64{1} << (other - 1);
  return (b.asked & me) != 0 && (b.released & others) != 0;
}

/// Such launches run on one thread of the host.
void say_told_by_flag(LaunchState& s) {
  const Unchecked fact{
      "order_in_shared_memory",
      "warps that share words of shared memory with no barrier between them used "
      "fences and flags in global memory: whether these order them was not followed"};
  if (std::find(s.unchecked.begin(), s.unchecked.end(), fact) == s.unchecked.end())
    s.unchecked.push_back(fact);
}

/// Several warps touched parts of the word: which of them these bytes is not known.
void note_vague(const Warp& w, const SharedWord& before, std::uint8_t bytes, Access kind) {
  if (bytes == kAllBytes) return;
  const bool writers =
      before.writer == kMany && (before.written & kAtomic) == 0 && (before.written & bytes) != 0;
  const bool readers = kind != Access::load && before.reader == kMany && (before.read & bytes) != 0;
  if (writers || readers) w.worker->launch->vague.store(true, std::memory_order_relaxed);
}

void check_shared_race(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const auto me = static_cast<std::uint8_t>(w.index + 1);
  for (u64 word = address / 4; word * 4 < address + bytes; ++word) {
    SharedWord& s = b.shared_words[word];
    b.shared_lines[word / kLanes] = 0;
    if (s.epoch != b.epoch) s = {b.epoch, 0, 0, 0, 0};
    const std::uint8_t touched =
        bytes >= 4 ? kAllBytes : static_cast<std::uint8_t>(((1u << bytes) - 1) << (address & 3));
    const SharedWord before = s;
    const u64 writer = b.shared_writers[word];
    const Clash c = shared_clash(s, me, touched, kind);
    if (kind != Access::load)
      note_writer(b.shared_writers[word], w, i, lane, before.writer == me);
    else if (c == Clash::none && before.writer == me && bytes >= 4)
      check_warp_race(w, i, lane, address, writer);
    const std::uint8_t other = c == Clash::with_read ? before.reader : before.writer;
    if (c == Clash::none) {
      note_vague(w, before, touched, kind);
      continue;
    }
    if (told_by_flag(w, other)) {
      say_told_by_flag(*w.worker->launch);
      continue;
    }
    const auto detail = [&] { return describe_clash(w, c, kind, other, writer, address); };
    if (c == Clash::with_write && kind == Access::store)
      report_store_race(w, i, FaultKind::shared_race, lane,
                        {address, "shared", b.shared + address, bytes}, detail);
    else
      report_lazily(w, i, FaultKind::shared_race, lane, address, "shared", detail);
    return;
  }
}

/// Whether all writes that a word remembers are the warp's own.
bool only_own(const History& h, const Warp& w) {
  const auto own = [&](const Touch& t) {
    return t.step != 0 && t.warp == w.index && t.block == w.block->rank;
  };
  return own(h.write) &&
         (!h.has_more() || std::all_of(h.more->writes.begin(), h.more->writes.end(), own));
}

bool was_stored(const Warp& w, u64 writer) {
  const u32 at = writer_instruction(writer);
  return at < w.kernel->info.size() && w.kernel->info[at].opcode == Opcode::store;
}

/// The same where warps are ordered by more than barriers of the whole block.
void check_followed(Warp& w, const Ins* i, const u64* a, u32 m, u32 lane, u32 bytes, Access kind) {
  const bool again = lane != 0 && (m >> (lane - 1) & 1) != 0 && a[lane] == a[lane - 1];
  BlockState& b = *w.block;
  // A flag may be read at any time, a number may not.
  const bool data = kind == Access::load && (i->aux & kDataRead) != 0;
  // Nor do lanes race within a matrix product: it is one operation of all of them.
  const bool looks = (plain(i) && (i->aux & kOfProduct) == 0) || data || kind == Access::store;
  for (u64 word = a[lane] / 4; word * 4 < a[lane] + bytes && looks; ++word) {
    const History& h = b.order->shared[word];
    const Touch& last = h.write;
    const bool own = last.step != 0 && last.warp == w.index && !h.has_more();
    const bool number = data && only_own(h, w) && was_stored(w, b.shared_writers[word]);
    if (kind == Access::load && bytes >= 4 && ((plain(i) && own && !last.strong) || number))
      check_warp_race(w, i, lane, word * 4, b.shared_writers[word]);
    if (kind != Access::load) note_writer(b.shared_writers[word], w, i, lane, own);
  }
  if (!again || kind != Access::load) check_shared_order(w, i, lane, b, a[lane], bytes, kind);
}

/// Words of these lines are about to differ.
void forget_lines(BlockState& b, u64 first, u64 count) {
  for (u64 line = first / kLanes; line <= (first + count - 1) / kLanes; ++line)
    b.shared_lines[line] = 0;
}

/// SharedWord as one number: epoch, writer, reader, written, read from the lowest bits up.
constexpr u64 kEpochBits = 0xffffffffu;

/// Notes an access to whole words by one warp; false when any of them clashes, and then the slow
/// way goes over all of them again, which changes nothing for those already noted. `own` tells
/// whether the warp itself wrote any of them. Branch-free, so that the compiler makes vector code.
template <bool kLoads>
bool shared_words_clean(u64* words, u64 count, u64 epoch, u64 me, u64& own) {
  u64 clash = 0;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & kEpochBits) == epoch ? ~u64{0} : 0;
    const u64 writer = words[k] >> 32 & 255 & same, reader = words[k] >> 40 & 255 & same;
    clash |= (writer == 0 ? 0 : ~u64{0}) & (writer ^ me);
    own |= writer;
    if (!kLoads) clash |= (reader == 0 ? 0 : ~u64{0}) & (reader ^ me);
  }
  if (clash != 0) return false;
  for (u64 k = 0; k < count; ++k) {
    const u64 same = (words[k] & kEpochBits) == epoch ? ~u64{0} : 0;
    const u64 x = (words[k] & same) | epoch;
    if (kLoads) {
      const u64 reader = x >> 40 & 255;
      const u64 other = (reader == 0 ? 0 : ~u64{0}) & (reader == me ? 0 : ~u64{0});
      words[k] = x | (me | (other & kMany)) << 40 | u64{kAllBytes} << 56;
    } else {
      words[k] = with_writer(x, me);
    }
  }
  return true;
}

/// Neighbours mostly have one history: then the first word speaks for all. Whether those of a
/// whole line do is remembered.
template <bool kLoads>
bool run_clean(BlockState& b, u64 at, u64 count, u64 me, u64& own) {
  u64* words = reinterpret_cast<u64*>(b.shared_words.data()) + at;
  u64* line = b.shared_lines.data() + at / kLanes;
  const bool whole = at % kLanes == 0 && count == kLanes;
  const u64 first = words[0];
  if (!whole || *line == 0 || *line != first) {
    u64 differ = 0;
    for (u64 k = 1; k < count; ++k) differ |= words[k] ^ first;
    if (differ != 0) {
      forget_lines(b, at, count);
      return shared_words_clean<kLoads>(words, count, b.epoch, me, own);
    }
  }
  u64 word = first;
  if (!shared_words_clean<kLoads>(&word, 1, b.epoch, me, own)) return false;
  if (word != first) {
    if (!whole) forget_lines(b, at, count);
    for (u64 k = 0; k < count; ++k) words[k] = word;
  }
  if (whole) *line = word;
  return true;
}

/// Takes the reads that were put off into the words' history, before somebody writes.
[[gnu::noinline]] void note_reads(BlockState& b) {
  SharedShadow& shadow = *b.shadow;
  shadow.may_wait = 0;
  u64 own = 0;
  for (u32 n = 0; n < shadow.waiting; ++n) {
    const SharedRead& r = shadow.reads[n];
    // No word has a writer in this interval, so nothing clashes.
    for (u64 k = 0; k < r.count;) {
      const u64 at = r.first + k * r.step;
      const u64 count = r.step == 1 ? std::min<u64>(kLanes - at % kLanes, r.count - k) : 1;
      run_clean<true>(b, at, count, u64{r.warp} + 1, own);
      k += count;
    }
  }
  shadow.waiting = 0;
}

/// The list is full, or nothing may be put off.
[[gnu::noinline]] bool put_off_again(Warp& w, u64 first, u64 count, u64 step) {
  SharedShadow& s = *w.shadow;
  if (s.may_wait == 0) return false;
  note_reads(*w.block);
  s.may_wait = 1;
  return list_read(&s, w.index, first, count, step) != 0;
}

/// Lists a read instead of noting it; false where that will not do.
[[gnu::always_inline]] inline bool put_off(Warp& w, u64 first, u64 count, u64 step) {
  SharedShadow& s = *w.shadow;
  return list_read(&s, w.index, first, count, step) != 0 || put_off_again(w, first, count, step);
}

/// Somebody writes.
inline void end_waiting(BlockState& b) {
  if (b.shadow->may_wait != 0) note_reads(b);
}

/// Whether any of these words was written by another lane of this warp just now.
bool any_recent(const Warp& w, const u64* writers, u64 count, u64 words_per_lane, bool uniform) {
  const u64 sync = w.sync_epoch & ((1u << kSyncBits) - 1);
  u64 recent = 0;
  for (u64 k = 0; k < count; ++k) {
    const u64 reader = uniform ? kManyLanes : k / words_per_lane % kLanes;
    const u64 lane = writers[k] & 63;
    recent |= writer_sync(writers[k]) == sync && lane != reader && lane != kManyLanes ? 1 : 0;
  }
  return recent != 0;
}

/// Whether a simple access by a whole warp is fine; notes it if so.
bool shared_run_clean(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const u64 me = w.index + 1;
  const u64 count = span / 4;
  u64* writers = b.shared_writers.data() + at / 4;
  u64 own = 0;
  if (kind == Access::load) {
    if (!run_clean<true>(b, at / 4, count, me, own)) return false;
    if (own == 0 || bytes < 4) return true;
    // Lane by lane only where a lane reads another one's word.
    return !any_recent(w, writers, count, bytes / 4, span == bytes);
  }
  end_waiting(b);
  if (!run_clean<false>(b, at / 4, count, me, own)) return false;
  const u64 base = writer_word(w, i, 0);
  const u64 per_lane = bytes / 4;
  if (per_lane == 0) {
    for (u64 k = 0; k < count; ++k) writers[k] = base | kManyLanes;
  } else if (per_lane == 1) {
    for (u64 k = 0; k < count; ++k) writers[k] = base + k;
  } else {
    for (u64 k = 0; k < count; ++k) writers[k] = base + k / per_lane;
  }
  return true;
}

/// A word's past in this interval between barriers.
u64 since_barrier(u64 word, u64 epoch) {
  const u64 same = (word & kEpochBits) == epoch ? ~u64{0} : 0;
  return (word & same) | epoch;
}

/// Loads of a word each by lanes anywhere. When it is false the slow way goes over all of them
/// again. Few branches: what words went through differs from lane to lane.
bool loads_clean(Warp& w, const u64* a, u32 m) {
  BlockState& b = *w.block;
  const u64 me = w.index + 1, epoch = b.epoch;
  u64* words = reinterpret_cast<u64*>(b.shared_words.data());
  const std::uint8_t* valid = b.shared_valid.data();
  u64 clash = 0, own = 0;
  for (u32 rest = m; rest != 0; rest &= rest - 1) {
    const u64 k = a[std::countr_zero(rest)] / 4;
    const u64 old = since_barrier(words[k], epoch);
    const u64 writer = old >> 32 & 255, reader = old >> 40 & 255;
    const u64 other = (reader == 0 ? 0 : ~u64{0}) & (reader == me ? 0 : ~u64{0});
    clash |= (writer == 0 ? 0 : ~u64{0}) & (writer ^ me);
    clash |= ~u64{valid[k]} & kAllBytes;
    own |= writer;
    b.shared_lines[k / kLanes] = 0;
    words[k] = old | (me | (other & kMany)) << 40 | u64{kAllBytes} << 56;
  }
  if (clash != 0) return false;
  if (own == 0) return true;
  const u64 sync = w.sync_epoch & ((1u << kSyncBits) - 1);
  for (u32 rest = m; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<u32>(std::countr_zero(rest));
    const u64 last = b.shared_writers[a[l] / 4];
    const bool mine = (words[a[l] / 4] >> 32 & 255) != 0;
    if (mine && writer_sync(last) == sync && writer_lane(last) != l &&
        writer_lane(last) != kManyLanes)
      return false;
  }
  return true;
}

/// Loads of a word each by a whole warp, at equal distances.
bool spaced_loads_clean(Warp& w, const u64* a, u32 m) {
  const u64 step = a[1] - a[0];
  if (m != kAllLanes || w.shadow->may_wait == 0 || step == 0 || step > 4096) return false;
  u64 differ = 0;
  for (u32 l = 0; l < kLanes; ++l) differ |= (a[l] - u64{l} * step) ^ a[0];
  if (differ != 0) return false;
  const std::uint8_t* valid = w.shadow->valid + a[0] / 4;
  u32 all = kAllBytes;
  for (u32 l = 0; l < kLanes; ++l) all &= valid[l * step / 4];
  return all == kAllBytes && put_off(w, a[0] / 4, kLanes, step / 4);
}

/// The same for stores to different words.
bool stores_clean(Warp& w, const Ins* i, const u64* a, u32 m) {
  BlockState& b = *w.block;
  const u64 me = w.index + 1;
  u64* words = reinterpret_cast<u64*>(b.shared_words.data());
  for (u32 rest = m; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<u32>(std::countr_zero(rest));
    const u64 k = a[l] / 4;
    const u64 old = since_barrier(words[k], b.epoch);
    const u64 writer = old >> 32 & 255, reader = old >> 40 & 255;
    if ((writer != 0 && writer != me) || (reader != 0 && reader != me)) return false;
    note_writer(b.shared_writers[k], w, i, l, writer == me);
    b.shared_lines[k / kLanes] = 0;
    words[k] = with_writer(old, me);
    b.shared_valid[k] = kAllBytes;
  }
  return true;
}

/// Whether each lane's address is above the one before.
bool ascending(const u64* a, u32 m) {
  bool rises = m == kAllLanes;
  for (u32 l = 1; l < kLanes; ++l) rises = rises && a[l] > a[l - 1];
  return rises;
}

/// The addresses of a simple access, for the checks that go lane by lane.
void spread(u64* a, u64 at, u64 span, u32 bytes) {
  for (u32 l = 0; l < kLanes; ++l) a[l] = span == bytes ? at : at + u64{l} * bytes;
}

[[gnu::noinline]] void check_run_slowly(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes,
                                        Access kind) {
  BlockState& b = *w.block;
  const bool valid = kind == Access::store || shared_written(b, at, span);
  const bool races = b.follows_shared || (b.race_checks && plain(i));
  const bool words = !b.follows_shared && at % 4 == 0 && span % 4 == 0;
  if (valid && (!races || (words && shared_run_clean(w, i, at, span, bytes, kind)))) {
    if (kind == Access::store) set_shared_written(b, at, span);
    return;
  }
  u64 a[kLanes];
  spread(a, at, span, bytes);
  check_shared(w, i, a, kAllLanes, bytes, kind);
}

}  // namespace

bool shared_written(const BlockState& b, u64 at, u64 bytes) {
  if (at % 4 == 0 && bytes % 4 == 0) return words_written(b.shadow->valid + at / 4, bytes / 4) != 0;
  const std::uint8_t* valid = b.shadow->valid + at / 4;
  for (u64 k = at % 4; k < at % 4 + bytes; ++k)
    if ((valid[k / 4] >> k % 4 & 1) == 0) return false;
  return true;
}

void set_shared_written(BlockState& b, u64 at, u64 bytes) {
  std::uint8_t* valid = b.shadow->valid + at / 4;
  if (at % 4 == 0 && bytes % 4 == 0) {
    std::memset(valid, kAllBytes, bytes / 4);
    return;
  }
  for (u64 k = at % 4; k < at % 4 + bytes; ++k)
    valid[k / 4] = static_cast<std::uint8_t>(valid[k / 4] | 1u << k % 4);
}

void check_shared_run(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, Access kind) {
  // Most accesses.
  if (kind == Access::load && plain(i) && (at | span) % 4 == 0 && w.shadow->may_wait != 0 &&
      words_written(w.shadow->valid + at / 4, span / 4) != 0 && put_off(w, at / 4, span / 4, 1))
    return;
  check_run_slowly(w, i, at, span, bytes, kind);
}

bool shared_loads_clean(Warp& w, const Ins* i, u64 at, u64 span, u32 bytes, bool uniform) {
  BlockState& b = *w.block;
  if (words_written(b.shadow->valid + at / 4, span / 4) == 0) return false;
  if (b.follows_shared) return false;
  if (!b.race_checks || !plain(i)) return true;
  if (put_off(w, at / 4, span / 4, 1)) return true;
  u64 own = 0;
  // Rows mostly have one history each.
  for (u64 k = 0; k < span / 4; k += kLanes)
    if (!run_clean<true>(b, at / 4 + k, std::min<u64>(kLanes, span / 4 - k), w.index + 1, own))
      return false;
  if (own == 0) return true;
  return !any_recent(w, b.shared_writers.data() + at / 4, span / 4, bytes / 4, uniform);
}

void check_shared(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Access kind) {
  BlockState& b = *w.block;
  const bool races = b.race_checks && (plain(i) || kind == Access::atomic);
  if (races && kind != Access::load) end_waiting(b);
  if (races && bytes == 4 && kind == Access::load &&
      (spaced_loads_clean(w, a, m) || loads_clean(w, a, m)))
    return;
  if (races && bytes == 4 && kind == Access::store && ascending(a, m) && stores_clean(w, i, a, m))
    return;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    if (kind != Access::store && !shared_written(b, a[l], bytes)) {
      report_lazily(w, i, FaultKind::uninitialised_read, l, a[l], "shared",
                    [&] { return describe_shared(w, a[l]) + " was never written"; });
    }
    if (kind != Access::load) set_shared_written(b, a[l], bytes);
    if (races) check_shared_race(w, i, l, a[l], bytes, kind);
    if (b.follows_shared) check_followed(w, i, a, m, l, bytes, kind);
  }
}

}  // namespace warpwright::simt
