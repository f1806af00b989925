// SPDX-License-Identifier: Apache-2.0
// half and half2.
#pragma once

#include "ww_half_family.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA_ARCH__)
__WW_HD unsigned short __ww_to_bits___half(float f) {
  return __builtin_bit_cast(unsigned short, (_Float16)f);
}
__WW_HD float __ww_from_bits___half(unsigned short bits) {
  return (float)__builtin_bit_cast(_Float16, bits);
}
#else
__WW_HD unsigned short __ww_to_bits___half(float f) {
  const unsigned u = __builtin_bit_cast(unsigned, f);
  const unsigned sign = (u >> 16) & 0x8000, rest = u & 0x7FFFFFFF;
  if (rest > 0x7F800000) return (unsigned short)(sign | 0x7FFF);
  if (rest >= 0x477FF000) return (unsigned short)(sign | 0x7C00);
  // Adding a power of two puts the last kept bit at the end of the sum, which rounds to even.
  if (rest < 0x38800000) {
    const float magic = __builtin_bit_cast(float, rest) + 0.5f;
    return (unsigned short)(sign | (__builtin_bit_cast(unsigned, magic) - 0x3F000000));
  }
  const unsigned rounded = rest - 0x38000000 + 0xFFF + ((rest >> 13) & 1);
  return (unsigned short)(sign | (rounded >> 13));
}
__WW_HD float __ww_from_bits___half(unsigned short bits) {
  const unsigned sign = (unsigned)(bits & 0x8000) << 16, rest = bits & 0x7FFF;
  if (rest >= 0x7C00) return __builtin_bit_cast(float, sign | 0x7F800000 | ((rest & 0x3FF) << 13));
  if (rest >= 0x400) return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000));
  const float value = (float)rest * 5.9604644775390625e-8f;
  return sign != 0 ? -value : value;
}
#endif

typedef _Float16 __ww_half_pair __attribute__((ext_vector_type(2)));

__WW_HALF_CLASS(__half, __half_raw, _Float16)
__WW_PAIR_CLASS(__half, __half2, __half_raw, __half2_raw)
typedef __half half;
typedef __half2 half2;

__WW_HALF_ARITHMETIC(__half, _Float16)
__WW_PAIR_ARITHMETIC(__half, __half2, __ww_half_pair)

__WW_HD __half __float2half(const float f) { return __half(f); }
__WW_HD __half __float2half_rn(const float f) { return __half(f); }
__WW_HD __half __double2half(const double f) { return __half(f); }
__WW_HD float __half2float(const __half h) { return (float)h; }
__WW_HD __half __int2half_rn(const int i) { return __half(i); }
__WW_HD __half __uint2half_rn(const unsigned i) { return __half(i); }
__WW_HD __half __ushort_as_half(const unsigned short bits) { return __half(__half_raw{bits}); }
__WW_HD unsigned short __half_as_ushort(const __half h) { return h.__x; }
__WW_HD __half __short_as_half(const short bits) {
  return __half(__half_raw{(unsigned short)bits});
}
__WW_HD short __half_as_short(const __half h) { return (short)h.__x; }
__WW_HD __half2 make_half2(const __half a, const __half b) { return __half2(a, b); }
__WW_HD __half2 __halves2half2(const __half a, const __half b) { return __half2(a, b); }
__WW_HD __half2 __half2half2(const __half a) { return __half2(a, a); }
__WW_HD __half2 __float2half2_rn(const float f) { return __half2(__half(f), __half(f)); }
__WW_HD __half2 __floats2half2_rn(const float a, const float b) {
  return __half2(__half(a), __half(b));
}
__WW_HD __half2 __float22half2_rn(const float2 f) { return __half2(__half(f.x), __half(f.y)); }
__WW_HD float2 __half22float2(const __half2 h) { return make_float2((float)h.x, (float)h.y); }
__WW_HD __half __low2half(const __half2 h) { return h.x; }
__WW_HD __half __high2half(const __half2 h) { return h.y; }
__WW_HD __half2 __low2half2(const __half2 h) { return __half2(h.x, h.x); }
__WW_HD __half2 __high2half2(const __half2 h) { return __half2(h.y, h.y); }
__WW_HD __half2 __lows2half2(const __half2 a, const __half2 b) { return __half2(a.x, b.x); }
__WW_HD __half2 __highs2half2(const __half2 a, const __half2 b) { return __half2(a.y, b.y); }
__WW_HD __half2 __lowhigh2highlow(const __half2 h) { return __half2(h.y, h.x); }

#if defined(__CUDA__)
__WW_HALF_FUNCTIONS(__half)
__WW_PAIR_FUNCTIONS(__half, __half2)
__WW_D __half __float2half_rz(const float f) {
  unsigned short bits;
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
  return __ushort_as_half(bits);
}
__WW_D int __half2int_rn(const __half h) { return __float2int_rn((float)h); }
__WW_D int __half2int_rz(const __half h) { return __float2int_rz((float)h); }
__WW_D unsigned __half2uint_rn(const __half h) { return __float2uint_rn((float)h); }
__WW_D __half __hadd_sat(const __half a, const __half b) {
  return __half(__saturatef((float)a + (float)b));
}
__WW_D __half atomicAdd(__half* p, const __half v) {
  unsigned short old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
  return __ushort_as_half(old);
}
__WW_D __half2 atomicAdd(__half2* p, const __half2 v) {
  unsigned old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(p), "r"(__builtin_bit_cast(unsigned, v))
               : "memory");
  return __builtin_bit_cast(__half2, old);
}
#endif

#pragma clang attribute pop
