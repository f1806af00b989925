// SPDX-License-Identifier: Apache-2.0
// Arithmetic that rounds towards zero, up and down; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_ROUNDING_H
#define WARPWRIGHT_HIP_ROUNDING_H

// The nearest result and the sign of what it lacks say which neighbour is meant.
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

#endif
