// SPDX-License-Identifier: Apache-2.0
// Accesses of a warp to whole lines of global memory; 0: the interpreter's check has to look. All of
// it may be done again.
IN int line_valid(const char* bits) { return (LDS(u64, bits) & LDS(u64, bits + 8)) == ~0ull; }
IN int lines_clean(const Warp* w, const char* m, u64 off, u32 span, u32 writes) {
  const NativeState* const n = w->native;
  const u64 key = w->race_key;
  const u32 whole = LDS(u8, m + FULLY_VALID), quiet = LDS(u8, m + QUIET);
  if (UNLIKELY(!key || !n->race_lines || (off & 127) || LDS(u8, m + READ_ONLY))) return 0;
  for (u32 k = 0; k < span; k += 128) {
    char* const bits = (char*)n->valid + (off + k) / 8;
    if (!whole && !writes && !line_valid(bits)) return 0;
    if ((writes || !quiet) &&
        line_access(n->race_lines + 2 * ((off + k) >> 7), key, !writes, n->many_threads != 0) != kLineIsFine)
      return 0;
    if (!whole && writes && !line_valid(bits)) STS(u64, bits, ~0ull), STS(u64, bits + 8, ~0ull);
  }
  return 1; }
