// SPDX-License-Identifier: Apache-2.0
// Video instructions: two or four numbers in a word; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_VIDEO_H
#define WARPWRIGHT_HIP_VIDEO_H

template <int kBits, bool kSigned>
WW_BOTH int ww_field(unsigned a, int at) {
  const unsigned raw = a >> (at * kBits) & ((1u << kBits) - 1u);
  return kSigned ? (int)(raw << (32 - kBits)) >> (32 - kBits) : (int)raw;
}
template <int kBits, bool kSigned, class F>
WW_BOTH unsigned ww_fields(unsigned a, unsigned b, F f) {
  unsigned result = 0u;
  for (int i = 0; i < 32 / kBits; ++i) {
    const int value = f(ww_field<kBits, kSigned>(a, i), ww_field<kBits, kSigned>(b, i));
    result |= ((unsigned)value & ((1u << kBits) - 1u)) << (i * kBits);
  }
  return result;
}
template <int kBits, bool kSigned, class F>
WW_BOTH unsigned ww_field_sum(unsigned a, unsigned b, F f) {
  unsigned result = 0u;
  for (int i = 0; i < 32 / kBits; ++i)
    result += (unsigned)f(ww_field<kBits, kSigned>(a, i), ww_field<kBits, kSigned>(b, i));
  return result;
}
template <int kBits, bool kSigned>
WW_BOTH int ww_clamp(int a) {
  const int low = kSigned ? -(1 << (kBits - 1)) : 0;
  const int high = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  return a < low ? low : a > high ? high : a;
}

WW_BOTH unsigned __vabs2(unsigned a) {
  return ww_fields<16, true>(a, a, [](int x, int) { return x < 0 ? -x : x; });
}
WW_BOTH unsigned __vabs4(unsigned a) {
  return ww_fields<8, true>(a, a, [](int x, int) { return x < 0 ? -x : x; });
}
WW_BOTH unsigned __vabsss2(unsigned a) {
  return ww_fields<16, true>(a, a, [](int x, int) { return ww_clamp<16, true>(x < 0 ? -x : x); });
}
WW_BOTH unsigned __vabsss4(unsigned a) {
  return ww_fields<8, true>(a, a, [](int x, int) { return ww_clamp<8, true>(x < 0 ? -x : x); });
}
WW_BOTH unsigned __vneg2(unsigned a) {
  return ww_fields<16, true>(a, a, [](int x, int) { return -x; });
}
WW_BOTH unsigned __vneg4(unsigned a) {
  return ww_fields<8, true>(a, a, [](int x, int) { return -x; });
}
WW_BOTH unsigned __vnegss2(unsigned a) {
  return ww_fields<16, true>(a, a, [](int x, int) { return ww_clamp<16, true>(-x); });
}
WW_BOTH unsigned __vnegss4(unsigned a) {
  return ww_fields<8, true>(a, a, [](int x, int) { return ww_clamp<8, true>(-x); });
}
WW_BOTH unsigned __vadd2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x + y; });
}
WW_BOTH unsigned __vadd4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x + y; });
}
WW_BOTH unsigned __vaddss2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return ww_clamp<16, true>(x + y); });
}
WW_BOTH unsigned __vaddss4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return ww_clamp<8, true>(x + y); });
}
WW_BOTH unsigned __vaddus2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return ww_clamp<16, false>(x + y); });
}
WW_BOTH unsigned __vaddus4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return ww_clamp<8, false>(x + y); });
}
WW_BOTH unsigned __vsub2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x - y; });
}
WW_BOTH unsigned __vsub4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x - y; });
}
WW_BOTH unsigned __vsubss2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return ww_clamp<16, true>(x - y); });
}
WW_BOTH unsigned __vsubss4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return ww_clamp<8, true>(x - y); });
}
WW_BOTH unsigned __vsubus2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return ww_clamp<16, false>(x - y); });
}
WW_BOTH unsigned __vsubus4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return ww_clamp<8, false>(x - y); });
}
WW_BOTH unsigned __vabsdiffs2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vabsdiffs4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vabsdiffu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vavgs2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b,
                             [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; });
}
WW_BOTH unsigned __vavgs4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; });
}
WW_BOTH unsigned __vavgu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}
WW_BOTH unsigned __vavgu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}
WW_BOTH unsigned __vhaddu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return (x + y) >> 1; });
}
WW_BOTH unsigned __vhaddu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return (x + y) >> 1; });
}
WW_BOTH unsigned __vmaxs2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x < y ? y : x; });
}
WW_BOTH unsigned __vmaxs4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x < y ? y : x; });
}
WW_BOTH unsigned __vmins2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x < y ? x : y; });
}
WW_BOTH unsigned __vmins4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x < y ? x : y; });
}
WW_BOTH unsigned __vcmpges2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpges4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
WW_BOTH unsigned __vsetges2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
WW_BOTH unsigned __vsetges4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
WW_BOTH unsigned __vcmpgts2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpgts4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
WW_BOTH unsigned __vsetgts2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
WW_BOTH unsigned __vsetgts4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
WW_BOTH unsigned __vcmples2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
WW_BOTH unsigned __vcmples4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
WW_BOTH unsigned __vsetles2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
WW_BOTH unsigned __vsetles4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
WW_BOTH unsigned __vcmplts2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
WW_BOTH unsigned __vcmplts4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
WW_BOTH unsigned __vsetlts2(unsigned a, unsigned b) {
  return ww_fields<16, true>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
WW_BOTH unsigned __vsetlts4(unsigned a, unsigned b) {
  return ww_fields<8, true>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
WW_BOTH unsigned __vsads2(unsigned a, unsigned b) {
  return ww_field_sum<16, true>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vsads4(unsigned a, unsigned b) {
  return ww_field_sum<8, true>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vmaxu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x < y ? y : x; });
}
WW_BOTH unsigned __vmaxu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x < y ? y : x; });
}
WW_BOTH unsigned __vminu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x < y ? x : y; });
}
WW_BOTH unsigned __vminu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x < y ? x : y; });
}
WW_BOTH unsigned __vcmpgeu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpgeu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
WW_BOTH unsigned __vsetgeu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
WW_BOTH unsigned __vsetgeu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
WW_BOTH unsigned __vcmpgtu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpgtu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
WW_BOTH unsigned __vsetgtu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
WW_BOTH unsigned __vsetgtu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
WW_BOTH unsigned __vcmpleu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpleu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
WW_BOTH unsigned __vsetleu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
WW_BOTH unsigned __vsetleu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
WW_BOTH unsigned __vcmpltu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpltu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
WW_BOTH unsigned __vsetltu2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
WW_BOTH unsigned __vsetltu4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
WW_BOTH unsigned __vsadu2(unsigned a, unsigned b) {
  return ww_field_sum<16, false>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vsadu4(unsigned a, unsigned b) {
  return ww_field_sum<8, false>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}
WW_BOTH unsigned __vcmpeq2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpeq4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}
WW_BOTH unsigned __vseteq2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}
WW_BOTH unsigned __vseteq4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}
WW_BOTH unsigned __vcmpne2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}
WW_BOTH unsigned __vcmpne4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}
WW_BOTH unsigned __vsetne2(unsigned a, unsigned b) {
  return ww_fields<16, false>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}
WW_BOTH unsigned __vsetne4(unsigned a, unsigned b) {
  return ww_fields<8, false>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}

#endif
