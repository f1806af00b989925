// SPDX-License-Identifier: Apache-2.0
// Who touched global memory: the form of the words that remember it, and what accesses do to them.
// The interpreter's checks include this, and compiled kernels start with it: C, but for the lines
// that only C++ sees.
#ifdef __cplusplus
#pragma once

#include "simt/isa/numbers.h"

namespace warpwright::simt {
#define WW_CONSTANT inline constexpr
#define WW_RULE inline
#else
#define WW_CONSTANT static const
#define WW_RULE static inline __attribute__((always_inline))
#endif

// From the lowest bits up: 8 tag of the launch, 24 block + 1, 6 warp, 16 barriers passed, 4 bytes
// touched, 1 atomic.
WW_CONSTANT u64 kTagBits = 255;
WW_CONSTANT u64 kManyBlocks = 0xffffff;
WW_CONSTANT u64 kBlockBits = 0xffffff00;
WW_CONSTANT u64 kManyWarps = 63;
WW_CONSTANT u64 kWarpBits = 63ull << 32;
WW_CONSTANT u64 kIntervalBits = 0xffffull << 38;
WW_CONSTANT u64 kWholeWord = 15ull << 54;
WW_CONSTANT u64 kAtomicBit = 1ull << 58;
/// Of a line: its words speak for themselves; a thread is giving its words their history.
WW_CONSTANT u64 kWordsBit = 1ull << 59;
WW_CONSTANT u64 kBusyBit = 1ull << 60;
WW_CONSTANT u64 kLineBytes = 128;
WW_CONSTANT u64 kLineWords = 32;

/// All ones where word x was touched in the launch of `key` by another block, or by another warp of
/// its block since the last barrier. Branch-free, so that the compiler makes vector code of it.
WW_RULE u64 foreign(u64 x, u64 key) {
  const u64 same = ((x ^ key) & kTagBits) == 0 ? ~0ull : 0;
  const u64 block = ((x ^ key) & kBlockBits) != 0 ? ~0ull : 0;
  const u64 warp = ((x ^ key) & kWarpBits) != 0 ? ~0ull : 0;
  const u64 epoch = ((x ^ key) & kIntervalBits) == 0 ? ~0ull : 0;
  return same & (block | (warp & epoch));
}

/// What a word's reads are after one more.
WW_RULE u64 noted_read(u64 x, u64 key) {
  const u64 same = ((x ^ key) & kTagBits) == 0 ? ~0ull : 0;
  const u64 block = ((x ^ key) & kBlockBits) != 0 ? kBlockBits : 0;
  const u64 warps = foreign(x, key) & (block == 0 ? kWarpBits : 0);
  return key | kWholeWord | (same & block) | warps;
}

/// Whether the words of a line with this write speak for themselves, or are about to.
WW_RULE int is_open(u64 write, u64 tag) {
  return (write & kTagBits) == tag && (write & (kWordsBit | kBusyBit)) != 0;
}

enum LineAnswer { kLineIsFine, kLineClashes, kAskWords };

/// `foreign` for one word: most words were not touched in this launch, and nothing else is asked.
WW_RULE int is_foreign(u64 x, u64 key) {
  const u64 differ = x ^ key;
  if ((differ & kTagBits) != 0) return 0;
  return (differ & kBlockBits) != 0 || ((differ & kWarpBits) != 0 && (differ & kIntervalBits) == 0);
}

/// An access of one warp to a whole line, whose write and read are at `line`; kAskWords when its
/// words have to be asked. Whoever goes on to the words asks again there, and waits for them.
WW_RULE enum LineAnswer line_access(u64* line, u64 key, int loads, int many_threads) {
  const u64 now = key | kWholeWord;
  while (1) {
    u64 write = __atomic_load_n(line, __ATOMIC_RELAXED);
    if (((write ^ key) & kTagBits) == 0) {
      if ((write & (kWordsBit | kBusyBit)) != 0) return kAskWords;
      if (is_foreign(write, key)) return kLineClashes;
    }
    const u64 read = __atomic_load_n(line + 1, __ATOMIC_RELAXED);
    if (loads) {
      if (read == now) return kLineIsFine;
      const u64 noted = ((read ^ key) & kTagBits) != 0 ? now : noted_read(read, key);
      if (noted == read) return kLineIsFine;
      __atomic_store_n(line + 1, noted, __ATOMIC_RELAXED);
      if (!many_threads) return kLineIsFine;
      // Somebody may be opening the line meanwhile, or writing: then its words are told, too.
      write = __atomic_load_n(line, __ATOMIC_ACQUIRE);
      return is_open(write, key & kTagBits) || is_foreign(write, key) ? kAskWords : kLineIsFine;
    }
    if (is_foreign(read, key)) return kLineClashes;
    if (now == write) return kLineIsFine;
    if (!many_threads) {
      __atomic_store_n(line, now, __ATOMIC_RELAXED);
      return kLineIsFine;
    }
    if (__atomic_compare_exchange_n(line, &write, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return kLineIsFine;
  }
}

#ifdef __cplusplus
}  // namespace warpwright::simt
#endif
