// SPDX-License-Identifier: Apache-2.0
// Notes sectors as touched, as touch_run of checks/access.h does.
IN void touch(Warp* w, u64 first, u64 last, u32 writes) {
  u8* const t = w->native->touched[writes];
  if (LIKELY(last - first == 3)) {
    if (UNLIKELY(LDS(u32, t + first) != 0x01010101u)) STS(u32, t + first, 0x01010101u);
    return;
  }
#pragma clang loop unroll(disable) vectorize(disable)
  for (u64 s = first; s <= last; ++s) if (!t[s]) t[s] = 1;
}
