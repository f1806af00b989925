// SPDX-License-Identifier: Apache-2.0
// What is known of a block's shared memory. The interpreter's checks include this, and compiled
// kernels have it behind race_rules.h: C, but for the lines that only C++ sees.
#ifdef __cplusplus
#pragma once

#include "simt/checks/race_rules.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
WW_CONSTANT u32 kMostReads = SharedShadow::kMostReads;
#endif

/// All four bytes of a word.
WW_CONSTANT u64 kFourBytes = 15;

/// The last writer of a word: lane, instruction, number of warp-level synchronisations before.
WW_RULE u64 writer_of(u32 lane, u32 instruction, u32 sync_epoch) {
  return lane | (u64)instruction << 6 | (u64)sync_epoch << 38;
}

/// A word's past once warp `me` - 1 has written all of it.
WW_RULE u64 with_writer(u64 past, u64 me) { return past | me << 32 | kFourBytes << 48; }

/// Whether words were written, all of each; `valid` has a byte for every word.
WW_RULE int words_written(const u8* valid, u64 count) {
  const u64 eight_words = 0x0101010101010101ull * kFourBytes;
  u64 all = eight_words, k = 0;
  for (; k + 8 <= count; k += 8) {
    u64 eight = 0;
    __builtin_memcpy(&eight, valid + k, sizeof eight);
    all &= eight;
  }
  for (; k < count; ++k) all &= valid[k] | ~kFourBytes;
  return all == eight_words;
}

/// Lists a read of `count` words, `step` words apart, instead of noting it; 0 where that will not
/// do: somebody has written in this interval, or the list is full.
WW_RULE int list_read(SharedShadow* s, u32 warp, u64 first, u64 count, u64 step) {
  if (s->may_wait == 0) return 0;
  // Loops walk through one or two arrays.
  for (u32 back = 1; step == 1 && back <= 2 && back <= s->waiting; ++back) {
    SharedRead* const last = &s->reads[s->waiting - back];
    const u64 end = (u64)last->first + last->count, to = first + count;
    if (last->warp != warp || last->step != 1 || first < last->first || first > end) continue;
    last->count = (u32)((to > end ? to : end) - last->first);
    return 1;
  }
  if (s->waiting == kMostReads) return 0;
  SharedRead* const read = &s->reads[s->waiting++];
  read->first = (u32)first;
  read->count = (u32)count;
  read->step = (u32)step;
  read->warp = warp;
  return 1;
}

#ifdef __cplusplus
}  // namespace warpwright::simt
#endif
