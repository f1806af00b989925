// SPDX-License-Identifier: Apache-2.0
// Accesses of a warp to words of shared memory that nobody has written, or touched, since the last
// barrier; 0: the interpreter's check has to look.
IN int run_loads_clean(Warp* w, u64 at, u32 count) {
  return LIKELY(words_written(w->shadow->valid + (at >> 2), count)) &&
         list_read(w->shadow, w->index, at >> 2, count, 1); }
IN int spaced_loads_clean(Warp* w, u64 at, u32 step) {
  const u8* const v = w->shadow->valid + (at >> 2);
  u32 all = kFourBytes;
#pragma clang loop unroll(full)
  for (u32 l = 0; l < 32; ++l) all &= v[l * step];
  return LIKELY(all == kFourBytes) && list_read(w->shadow, w->index, at >> 2, 32, step); }
OUT int stores_clean(Warp* w, u32 id, u64 at) {
  SharedShadow* const s = w->shadow;
  if (UNLIKELY(s->waiting != 0)) return 0;
  u64* const words = s->words + (at >> 2);
  if (UNLIKELY(__builtin_reduce_or(CV(LDV(u64, words), u32) == (u32x)s->interval) != 0)) return 0;
  s->may_wait = 0;
  const u64 word = with_writer(s->interval, w->index + 1);
  STV(u64, words, (u64x)word);
  STV(u64, s->writers + (at >> 2), AFF(u64, writer_of(0, id, w->sync_epoch), 1));
  STV(u8, s->valid + (at >> 2), (u8x)(u8)kFourBytes);
  s->lines[at >> 7] = s->lines[(at + 124) >> 7] = (at & 127) == 0 ? word : 0;
  return 1; }
