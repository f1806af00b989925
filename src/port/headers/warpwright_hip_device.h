// SPDX-License-Identifier: Apache-2.0
// Device functions that CUDA has and HIP has not; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_DEVICE_H
#define WARPWRIGHT_HIP_DEVICE_H

// ---- rounding towards zero, up, down
// ------------------------------------------------------------------ The nearest result and the
// sign of what it lacks say which neighbour is meant.
WW_DEVICE float ww_neighbour(float r, float up) {
  return nextafterf(r, up > 0 ? INFINITY : -INFINITY);
}
WW_DEVICE double ww_neighbour(double r, double up) {
  return nextafter(r, up > 0 ? INFINITY : -INFINITY);
}
template <class T>
WW_DEVICE T ww_up(T r, T lack) {
  return lack > 0 ? ww_neighbour(r, T(1)) : r;
}
template <class T>
WW_DEVICE T ww_down(T r, T lack) {
  return lack < 0 ? ww_neighbour(r, T(-1)) : r;
}
template <class T>
WW_DEVICE T ww_zero(T r, T lack) {
  return r > 0 ? ww_down(r, lack) : ww_up(r, lack);
}
// What the sum, product, quotient, root or fused product lacks of the exact one: its sign is right.
template <class T>
WW_DEVICE T ww_sum_lack(T a, T b, T r) {
  const T part = r - a;
  return (a - (r - part)) + (b - part);
}
template <class T>
WW_DEVICE T ww_product_lack(T a, T b, T r) {
  return ww_fma(a, b, -r);
}
template <class T>
WW_DEVICE T ww_quotient_lack(T a, T b, T r) {
  const T rest = ww_fma(-r, b, a);
  return b < 0 ? -rest : rest;
}
template <class T>
WW_DEVICE T ww_root_lack(T a, T r) {
  return ww_fma(-r, r, a);
}
template <class T>
WW_DEVICE T ww_fused_lack(T a, T b, T c, T r) {
  const T product = a * b;
  const T low = ww_fma(a, b, -product);
  const T sum = product + c;
  return ww_sum_lack(product, c, sum) + low + (sum - r);
}

WW_DEVICE float __fadd_rd(float a, float b) { return ww_down(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE float __fsub_rd(float a, float b) { return ww_down(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE float __fmul_rd(float a, float b) { return ww_down(a * b, ww_product_lack(a, b, a * b)); }
WW_DEVICE float __fdiv_rd(float a, float b) {
  return ww_down(a / b, ww_quotient_lack(a, b, a / b));
}
WW_DEVICE float __frcp_rd(float a) { return __fdiv_rd(float(1), a); }
WW_DEVICE float __fsqrt_rd(float a) { return ww_down(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE float __fmaf_rd(float a, float b, float c) {
  return ww_down(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}
WW_DEVICE float __fadd_ru(float a, float b) { return ww_up(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE float __fsub_ru(float a, float b) { return ww_up(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE float __fmul_ru(float a, float b) { return ww_up(a * b, ww_product_lack(a, b, a * b)); }
WW_DEVICE float __fdiv_ru(float a, float b) { return ww_up(a / b, ww_quotient_lack(a, b, a / b)); }
WW_DEVICE float __frcp_ru(float a) { return __fdiv_ru(float(1), a); }
WW_DEVICE float __fsqrt_ru(float a) { return ww_up(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE float __fmaf_ru(float a, float b, float c) {
  return ww_up(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}
WW_DEVICE float __fadd_rz(float a, float b) { return ww_zero(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE float __fsub_rz(float a, float b) { return ww_zero(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE float __fmul_rz(float a, float b) { return ww_zero(a * b, ww_product_lack(a, b, a * b)); }
WW_DEVICE float __fdiv_rz(float a, float b) {
  return ww_zero(a / b, ww_quotient_lack(a, b, a / b));
}
WW_DEVICE float __frcp_rz(float a) { return __fdiv_rz(float(1), a); }
WW_DEVICE float __fsqrt_rz(float a) { return ww_zero(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE float __fmaf_rz(float a, float b, float c) {
  return ww_zero(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}
WW_DEVICE double __dadd_rd(double a, double b) { return ww_down(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE double __dsub_rd(double a, double b) { return ww_down(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE double __dmul_rd(double a, double b) {
  return ww_down(a * b, ww_product_lack(a, b, a * b));
}
WW_DEVICE double __ddiv_rd(double a, double b) {
  return ww_down(a / b, ww_quotient_lack(a, b, a / b));
}
WW_DEVICE double __drcp_rd(double a) { return __ddiv_rd(double(1), a); }
WW_DEVICE double __dsqrt_rd(double a) { return ww_down(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE double __fma_rd(double a, double b, double c) {
  return ww_down(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}
WW_DEVICE double __dadd_ru(double a, double b) { return ww_up(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE double __dsub_ru(double a, double b) { return ww_up(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE double __dmul_ru(double a, double b) {
  return ww_up(a * b, ww_product_lack(a, b, a * b));
}
WW_DEVICE double __ddiv_ru(double a, double b) {
  return ww_up(a / b, ww_quotient_lack(a, b, a / b));
}
WW_DEVICE double __drcp_ru(double a) { return __ddiv_ru(double(1), a); }
WW_DEVICE double __dsqrt_ru(double a) { return ww_up(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE double __fma_ru(double a, double b, double c) {
  return ww_up(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}
WW_DEVICE double __dadd_rz(double a, double b) { return ww_zero(a + b, ww_sum_lack(a, b, a + b)); }
WW_DEVICE double __dsub_rz(double a, double b) { return ww_zero(a - b, ww_sum_lack(a, -b, a - b)); }
WW_DEVICE double __dmul_rz(double a, double b) {
  return ww_zero(a * b, ww_product_lack(a, b, a * b));
}
WW_DEVICE double __ddiv_rz(double a, double b) {
  return ww_zero(a / b, ww_quotient_lack(a, b, a / b));
}
WW_DEVICE double __drcp_rz(double a) { return __ddiv_rz(double(1), a); }
WW_DEVICE double __dsqrt_rz(double a) { return ww_zero(ww_sqrt(a), ww_root_lack(a, ww_sqrt(a))); }
WW_DEVICE double __fma_rz(double a, double b, double c) {
  return ww_zero(ww_fma(a, b, c), ww_fused_lack(a, b, c, ww_fma(a, b, c)));
}

// ---- video instructions: two or four numbers in a word
// ------------------------------------------------
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

// ---- minimum and maximum of three, of sums, with a floor of zero, with a predicate
// --------------------
WW_BOTH int __vimax3_s32(int a, int b, int c) { return ww_max(ww_max(a, b), c); }
WW_BOTH int __viaddmax_s32(int a, int b, int c) {
  return ww_max((int)((unsigned)a + (unsigned)b), c);
}
WW_BOTH int __vibmax_s32(int a, int b, bool* first) {
  *first = a >= b;
  return *first ? a : b;
}
WW_BOTH int __vimax_s32_relu(int a, int b) { return ww_max(ww_max(a, b), 0); }
WW_BOTH int __vimax3_s32_relu(int a, int b, int c) { return ww_max(__vimax3_s32(a, b, c), 0); }
WW_BOTH int __viaddmax_s32_relu(int a, int b, int c) { return ww_max(__viaddmax_s32(a, b, c), 0); }
WW_BOTH int __vimin3_s32(int a, int b, int c) { return ww_min(ww_min(a, b), c); }
WW_BOTH int __viaddmin_s32(int a, int b, int c) {
  return ww_min((int)((unsigned)a + (unsigned)b), c);
}
WW_BOTH int __vibmin_s32(int a, int b, bool* first) {
  *first = a <= b;
  return *first ? a : b;
}
WW_BOTH int __vimin_s32_relu(int a, int b) { return ww_max(ww_min(a, b), 0); }
WW_BOTH int __vimin3_s32_relu(int a, int b, int c) { return ww_max(__vimin3_s32(a, b, c), 0); }
WW_BOTH int __viaddmin_s32_relu(int a, int b, int c) { return ww_max(__viaddmin_s32(a, b, c), 0); }
WW_BOTH unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) {
  return ww_max(ww_max(a, b), c);
}
WW_BOTH unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) {
  return ww_max((unsigned)((unsigned)a + (unsigned)b), c);
}
WW_BOTH unsigned __vibmax_u32(unsigned a, unsigned b, bool* first) {
  *first = a >= b;
  return *first ? a : b;
}
WW_BOTH unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) {
  return ww_min(ww_min(a, b), c);
}
WW_BOTH unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) {
  return ww_min((unsigned)((unsigned)a + (unsigned)b), c);
}
WW_BOTH unsigned __vibmin_u32(unsigned a, unsigned b, bool* first) {
  *first = a <= b;
  return *first ? a : b;
}
WW_BOTH unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vmaxs2(a, b), c);
}
WW_BOTH unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vadd2(a, b), c);
}
WW_BOTH unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* high, bool* low) {
  *low = ww_field<16, true>(a, 0) >= ww_field<16, true>(b, 0);
  *high = ww_field<16, true>(a, 1) >= ww_field<16, true>(b, 1);
  return __vmaxs2(a, b);
}
WW_BOTH unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmaxs2(a, b), 0u); }
WW_BOTH unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vimax3_s16x2(a, b, c), 0u);
}
WW_BOTH unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__viaddmax_s16x2(a, b, c), 0u);
}
WW_BOTH unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmins2(__vmins2(a, b), c);
}
WW_BOTH unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) {
  return __vmins2(__vadd2(a, b), c);
}
WW_BOTH unsigned __vibmin_s16x2(unsigned a, unsigned b, bool* high, bool* low) {
  *low = ww_field<16, true>(a, 0) <= ww_field<16, true>(b, 0);
  *high = ww_field<16, true>(a, 1) <= ww_field<16, true>(b, 1);
  return __vmins2(a, b);
}
WW_BOTH unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0u); }
WW_BOTH unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__vimin3_s16x2(a, b, c), 0u);
}
WW_BOTH unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__viaddmin_s16x2(a, b, c), 0u);
}
WW_BOTH unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vmaxu2(a, b), c);
}
WW_BOTH unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vadd2(a, b), c);
}
WW_BOTH unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* high, bool* low) {
  *low = ww_field<16, false>(a, 0) >= ww_field<16, false>(b, 0);
  *high = ww_field<16, false>(a, 1) >= ww_field<16, false>(b, 1);
  return __vmaxu2(a, b);
}
WW_BOTH unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(__vminu2(a, b), c);
}
WW_BOTH unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(__vadd2(a, b), c);
}
WW_BOTH unsigned __vibmin_u16x2(unsigned a, unsigned b, bool* high, bool* low) {
  *low = ww_field<16, false>(a, 0) <= ww_field<16, false>(b, 0);
  *high = ww_field<16, false>(a, 1) <= ww_field<16, false>(b, 1);
  return __vminu2(a, b);
}

// ---- dot products of bytes
// ------------------------------------------------------------------------------
WW_DEVICE int __dp4a(int a, int b, int c) {
  return c +
         (int)ww_field_sum<8, true>((unsigned)a, (unsigned)b, [](int x, int y) { return x * y; });
}
WW_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return c + ww_field_sum<8, false>(a, b, [](int x, int y) { return x * y; });
}
WW_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
WW_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
WW_DEVICE int ww_dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
WW_DEVICE unsigned ww_dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }
WW_DEVICE int __dp2a_lo(int a, int b, int c) {
  return c + ww_field<16, true>(a, 0) * ww_field<8, true>(b, 0) +
         ww_field<16, true>(a, 1) * ww_field<8, true>(b, 1);
}
WW_DEVICE int __dp2a_hi(int a, int b, int c) {
  return c + ww_field<16, true>(a, 0) * ww_field<8, true>(b, 2) +
         ww_field<16, true>(a, 1) * ww_field<8, true>(b, 3);
}

// ---- loads and stores with a hint
// ----------------------------------------------------------------------
template <class T>
WW_DEVICE T __ldcv(const T* p) {
  return *p;
}
template <class T>
WW_DEVICE T __ldlu(const T* p) {
  return *p;
}
template <class T>
WW_DEVICE void __stcg(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stcs(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stwb(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stwt(T* p, T v) {
  *p = v;
}

// ---- the rest
// -------------------------------------------------------------------------------------------
WW_DEVICE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
WW_DEVICE void __trap() { __builtin_trap(); }
WW_DEVICE void __brkpt() { __builtin_trap(); }
WW_DEVICE void __prof_trigger(int) {}
WW_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> base & 1u) != 0u ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1u) != 0u && --left == 0) return (unsigned)at;
  return ~0u;
}
WW_DEVICE double fdivide(double a, double b) { return a / b; }
WW_DEVICE size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
WW_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(__attribute__((address_space(3))) const void*)p;
}
WW_DEVICE void* __cvta_global_to_generic(size_t p) { return (void*)p; }
WW_DEVICE void* __cvta_shared_to_generic(size_t p) {
  return (void*)(__attribute__((address_space(3))) void*)(unsigned)p;
}

template <class T, class V>
WW_DEVICE T atomicAdd_block(T* p, V v) {
  return atomicAdd(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicSub_block(T* p, V v) {
  return atomicSub(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicExch_block(T* p, V v) {
  return atomicExch(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicMin_block(T* p, V v) {
  return atomicMin(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicMax_block(T* p, V v) {
  return atomicMax(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicAnd_block(T* p, V v) {
  return atomicAnd(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicOr_block(T* p, V v) {
  return atomicOr(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicXor_block(T* p, V v) {
  return atomicXor(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicInc_block(T* p, V v) {
  return atomicInc(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicInc_system(T* p, V v) {
  return atomicInc(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicDec_block(T* p, V v) {
  return atomicDec(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicDec_system(T* p, V v) {
  return atomicDec(p, (T)v);
}
template <class T>
WW_DEVICE T atomicCAS_block(T* p, T expected, T v) {
  return atomicCAS(p, expected, v);
}

#endif
