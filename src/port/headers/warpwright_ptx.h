// SPDX-License-Identifier: Apache-2.0
// The C++ that inline PTX becomes; WW_DEVICE and WW_BOTH are defined by the header that includes
// this.
#ifndef WARPWRIGHT_PTX_H
#define WARPWRIGHT_PTX_H

// ---- what inline PTX becomes
// --------------------------------------------------------------------- A value as another type:
// the same bits where the sizes are equal and only one is a floating-point number, else the same
// value.
template <class To, class From>
WW_DEVICE To ww_as(From value) {
  if constexpr (sizeof(To) == sizeof(From) &&
                std::is_floating_point<To>::value != std::is_floating_point<From>::value) {
    To result;
    __builtin_memcpy(&result, &value, sizeof(To));
    return result;
  } else {
    return (To)value;
  }
}
template <class To, class From>
WW_DEVICE void ww_set(To& target, From value) {
  target = ww_as<To>(value);
}
template <class T>
WW_BOTH T ww_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WW_BOTH T ww_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
WW_DEVICE T ww_abs(T a) {
  return a < T(0) ? -a : a;
}
WW_DEVICE float ww_fma(float a, float b, float c) { return fmaf(a, b, c); }
WW_DEVICE double ww_fma(double a, double b, double c) { return fma(a, b, c); }
WW_DEVICE float ww_sqrt(float a) { return sqrtf(a); }
WW_DEVICE double ww_sqrt(double a) { return sqrt(a); }
WW_DEVICE float ww_copysign(float a, float b) { return copysignf(a, b); }
WW_DEVICE double ww_copysign(double a, double b) { return copysign(a, b); }
WW_DEVICE unsigned ww_mul_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
WW_DEVICE int ww_mul_hi(int a, int b) { return __mulhi(a, b); }
WW_DEVICE unsigned long long ww_mul_hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
WW_DEVICE long long ww_mul_hi(long long a, long long b) { return __mul64hi(a, b); }
WW_DEVICE unsigned long long ww_mul_wide(unsigned a, unsigned b) {
  return (unsigned long long)a * b;
}
WW_DEVICE long long ww_mul_wide(int a, int b) { return (long long)a * b; }
WW_DEVICE unsigned ww_mul_wide(unsigned short a, unsigned short b) { return (unsigned)a * b; }
WW_DEVICE int ww_low24(int a) { return a << 8 >> 8; }
WW_DEVICE unsigned ww_low24(unsigned a) { return a & 0xffffffu; }
// Shifts by the width or more clear the number.
template <class T>
WW_DEVICE T ww_shl(T a, T by) {
  const unsigned count = (unsigned)by;
  return count >= sizeof(T) * 8 ? T(0) : (T)(a << count);
}
template <class T>
WW_DEVICE T ww_shr(T a, T by) {
  const unsigned count = (unsigned)by;
  return count >= sizeof(T) * 8 ? (T)(a < T(0) ? -1 : 0) : (T)(a >> count);
}
WW_DEVICE unsigned ww_shf_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31u) >> 32);
}
WW_DEVICE unsigned ww_shf_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31u));
}
WW_DEVICE unsigned ww_popc(unsigned a) { return __popc(a); }
WW_DEVICE unsigned ww_popc(unsigned long long a) { return __popcll(a); }
WW_DEVICE unsigned ww_clz(unsigned a) { return a == 0u ? 32u : (unsigned)__builtin_clz(a); }
WW_DEVICE unsigned ww_clz(unsigned long long a) {
  return a == 0u ? 64u : (unsigned)__builtin_clzll(a);
}
WW_DEVICE unsigned ww_brev(unsigned a) { return __brev(a); }
WW_DEVICE unsigned long long ww_brev(unsigned long long a) { return __brevll(a); }
WW_DEVICE unsigned ww_bfind(unsigned a) { return 31u - ww_clz(a); }
WW_DEVICE unsigned ww_bfind(int a) { return 31u - ww_clz((unsigned)(a < 0 ? ~a : a)); }
WW_DEVICE unsigned ww_bfe(unsigned a, unsigned from, unsigned count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 31u) return 0u;
  return a >> from & (count > 31u ? ~0u : (1u << count) - 1u);
}
WW_DEVICE int ww_bfe(int a, int from, int count) {
  const unsigned at = (unsigned)from & 255u;
  const unsigned bits = (unsigned)count & 255u;
  if (bits == 0u) return 0;
  if (at > 31u) return a < 0 ? -1 : 0;
  // What lies beyond the last bit has its sign.
  const unsigned above = at + bits > 32u ? 0u : 32u - at - bits;
  return (int)((unsigned)a << above) >> (above + at);
}
WW_DEVICE unsigned ww_bfi(unsigned a, unsigned b, unsigned from, unsigned count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 31u) return b;
  const unsigned mask = (count > 31u ? ~0u : (1u << count) - 1u) << from;
  return (b & ~mask) | (a << from & mask);
}
WW_DEVICE unsigned ww_prmt(unsigned a, unsigned b, unsigned choice) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0u;
  for (unsigned i = 0; i < 4u; ++i) {
    const unsigned which = choice >> (4u * i) & 15u;
    unsigned byte = (unsigned)(bytes >> (8u * (which & 7u))) & 255u;
    if ((which & 8u) != 0u) byte = (byte & 128u) != 0u ? 255u : 0u;
    result |= byte << (8u * i);
  }
  return result;
}
WW_DEVICE unsigned ww_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0u;
  if ((table & 1u) != 0u) result |= ~a & ~b & ~c;
  if ((table & 2u) != 0u) result |= ~a & ~b & c;
  if ((table & 4u) != 0u) result |= ~a & b & ~c;
  if ((table & 8u) != 0u) result |= ~a & b & c;
  if ((table & 16u) != 0u) result |= a & ~b & ~c;
  if ((table & 32u) != 0u) result |= a & ~b & c;
  if ((table & 64u) != 0u) result |= a & b & ~c;
  if ((table & 128u) != 0u) result |= a & b & c;
  return result;
}

#endif
