// SPDX-License-Identifier: Apache-2.0
// bfloat16 and its pair.
#pragma once

#include "ww_half_family.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA_ARCH__)
__WW_HD unsigned short __ww_to_bits___nv_bfloat16(float f) {
  return __builtin_bit_cast(unsigned short, (__bf16)f);
}
#else
__WW_HD unsigned short __ww_to_bits___nv_bfloat16(float f) {
  const unsigned u = __builtin_bit_cast(unsigned, f);
  if ((u & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
  return (unsigned short)((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
}
#endif
__WW_HD float __ww_from_bits___nv_bfloat16(unsigned short bits) {
  return __builtin_bit_cast(float, (unsigned)bits << 16);
}

typedef __bf16 __ww_bf16_pair __attribute__((ext_vector_type(2)));

__WW_HALF_CLASS(__nv_bfloat16, __nv_bfloat16_raw, __bf16)
__WW_PAIR_CLASS(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__WW_HALF_ARITHMETIC(__nv_bfloat16, __bf16)
__WW_PAIR_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, __ww_bf16_pair)

__WW_HD __nv_bfloat16 __float2bfloat16(const float f) { return __nv_bfloat16(f); }
__WW_HD __nv_bfloat16 __float2bfloat16_rn(const float f) { return __nv_bfloat16(f); }
__WW_HD __nv_bfloat16 __double2bfloat16(const double f) { return __nv_bfloat16(f); }
__WW_HD float __bfloat162float(const __nv_bfloat16 h) { return (float)h; }
__WW_HD __nv_bfloat16 __int2bfloat16_rn(const int i) { return __nv_bfloat16(i); }
__WW_HD __nv_bfloat16 __ushort_as_bfloat16(const unsigned short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
__WW_HD unsigned short __bfloat16_as_ushort(const __nv_bfloat16 h) { return h.__x; }
__WW_HD __nv_bfloat162 make_bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
__WW_HD __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
__WW_HD __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__WW_HD __nv_bfloat162 __float2bfloat162_rn(const float f) {
  return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f));
}
__WW_HD __nv_bfloat162 __floats2bfloat162_rn(const float a, const float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
__WW_HD __nv_bfloat162 __float22bfloat162_rn(const float2 f) {
  return __floats2bfloat162_rn(f.x, f.y);
}
__WW_HD float2 __bfloat1622float2(const __nv_bfloat162 h) {
  return make_float2((float)h.x, (float)h.y);
}
__WW_HD __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 h) { return h.x; }
__WW_HD __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 h) { return h.y; }
__WW_HD __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
__WW_HD __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }

#if defined(__CUDA__)
__WW_HALF_FUNCTIONS(__nv_bfloat16)
__WW_PAIR_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
__WW_D int __bfloat162int_rn(const __nv_bfloat16 h) { return __float2int_rn((float)h); }
__WW_D int __bfloat162int_rz(const __nv_bfloat16 h) { return __float2int_rz((float)h); }
__WW_D __nv_bfloat16 atomicAdd(__nv_bfloat16* p, const __nv_bfloat16 v) {
  unsigned short old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.__x) : "memory");
  return __ushort_as_bfloat16(old);
}
__WW_D __nv_bfloat162 atomicAdd(__nv_bfloat162* p, const __nv_bfloat162 v) {
  unsigned old;
  asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(p), "r"(__builtin_bit_cast(unsigned, v))
               : "memory");
  return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif

#pragma clang attribute pop
