// SPDX-License-Identifier: Apache-2.0
// Half-precision functions that CUDA has and HIP has not; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_FP16_H
#define WARPWRIGHT_HIP_FP16_H

#include "warpwright_hip.h"

#include <hip/hip_fp16.h>

#ifdef __HIPCC__

// Operators for the host.
WW_HOST __half operator+(const __half& a, const __half& b) {
  return __float2half(__half2float(a) + __half2float(b));
}
WW_HOST __half operator-(const __half& a, const __half& b) {
  return __float2half(__half2float(a) - __half2float(b));
}
WW_HOST __half operator*(const __half& a, const __half& b) {
  return __float2half(__half2float(a) * __half2float(b));
}
WW_HOST __half operator/(const __half& a, const __half& b) {
  return __float2half(__half2float(a) / __half2float(b));
}
WW_HOST __half operator-(const __half& a) { return __float2half(-__half2float(a)); }
WW_HOST __half& operator+=(__half& a, const __half& b) { return a = a + b; }
WW_HOST __half& operator-=(__half& a, const __half& b) { return a = a - b; }
WW_HOST __half& operator*=(__half& a, const __half& b) { return a = a * b; }
WW_HOST __half& operator/=(__half& a, const __half& b) { return a = a / b; }
WW_HOST bool operator==(const __half& a, const __half& b) {
  return __half2float(a) == __half2float(b);
}
WW_HOST bool operator!=(const __half& a, const __half& b) {
  return __half2float(a) != __half2float(b);
}
WW_HOST bool operator<(const __half& a, const __half& b) {
  return __half2float(a) < __half2float(b);
}
WW_HOST bool operator>(const __half& a, const __half& b) {
  return __half2float(a) > __half2float(b);
}
WW_HOST bool operator<=(const __half& a, const __half& b) {
  return __half2float(a) <= __half2float(b);
}
WW_HOST bool operator>=(const __half& a, const __half& b) {
  return __half2float(a) >= __half2float(b);
}

WW_BOTH __half __double2half(double a) { return __float2half((float)a); }
WW_DEVICE __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
WW_DEVICE __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
WW_DEVICE __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
WW_DEVICE __half2 __hadd2_rn(__half2 a, __half2 b) { return __hadd2(a, b); }
WW_DEVICE __half2 __hsub2_rn(__half2 a, __half2 b) { return __hsub2(a, b); }
WW_DEVICE __half2 __hmul2_rn(__half2 a, __half2 b) { return __hmul2(a, b); }
// A NaN loses against a number.
WW_DEVICE __half __hmax(__half a, __half b) {
  return __float2half(fmaxf(__half2float(a), __half2float(b)));
}
WW_DEVICE __half __hmin(__half a, __half b) {
  return __float2half(fminf(__half2float(a), __half2float(b)));
}
WW_DEVICE __half __hmax_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
WW_DEVICE __half __hmin_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
WW_DEVICE __half2 __hmax2(__half2 a, __half2 b) {
  return __halves2half2(__hmax(__low2half(a), __low2half(b)),
                        __hmax(__high2half(a), __high2half(b)));
}
WW_DEVICE __half2 __hmin2(__half2 a, __half2 b) {
  return __halves2half2(__hmin(__low2half(a), __low2half(b)),
                        __hmin(__high2half(a), __high2half(b)));
}
WW_DEVICE __half2 __hmax2_nan(__half2 a, __half2 b) {
  return __halves2half2(__hmax_nan(__low2half(a), __low2half(b)),
                        __hmax_nan(__high2half(a), __high2half(b)));
}
WW_DEVICE __half2 __hmin2_nan(__half2 a, __half2 b) {
  return __halves2half2(__hmin_nan(__low2half(a), __low2half(b)),
                        __hmin_nan(__high2half(a), __high2half(b)));
}
WW_DEVICE __half __hfma_relu(__half a, __half b, __half c) {
  return __hmax(__hfma(a, b, c), __float2half(0.0f));
}
WW_DEVICE __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return __hmax2(__hfma2(a, b, c), __float2half2_rn(0.0f));
}
WW_DEVICE __half htanh(__half a) { return __float2half(tanhf(__half2float(a))); }
WW_DEVICE __half htanh_approx(__half a) { return htanh(a); }
WW_DEVICE __half2 h2tanh(__half2 a) {
  return __halves2half2(htanh(__low2half(a)), htanh(__high2half(a)));
}
WW_DEVICE __half2 h2tanh_approx(__half2 a) { return h2tanh(a); }
WW_DEVICE signed char __half2char_rz(__half a) {
  const float v = __half2float(a);
  return (signed char)(v < -128.0f ? -128 : v > 127.0f ? 127 : v != v ? 0 : (int)v);
}
WW_DEVICE unsigned char __half2uchar_rz(__half a) {
  const float v = __half2float(a);
  return (unsigned char)(v > 255.0f ? 255 : v > 0.0f ? (int)v : 0);
}

#endif  // __HIPCC__

#endif
