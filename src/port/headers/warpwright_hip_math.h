// SPDX-License-Identifier: Apache-2.0
// Mathematical functions that CUDA gives the host and HIP does not; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_MATH_H
#define WARPWRIGHT_HIP_MATH_H

#include <math.h>

#define WW_HOST static inline __host__

WW_HOST double rsqrt(double x) { return 1.0 / ::sqrt(x); }
WW_HOST float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
WW_HOST float rsqrt(float x) { return rsqrtf(x); }
WW_HOST double rcbrt(double x) { return 1.0 / ::cbrt(x); }
WW_HOST float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
WW_HOST double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
WW_HOST float normcdff(float x) { return (float)normcdf((double)x); }
WW_HOST double sinpi(double x) { return ::sin(::fmod(x, 2.0) * 3.14159265358979323846); }
WW_HOST double cospi(double x) { return ::cos(::fmod(x, 2.0) * 3.14159265358979323846); }
WW_HOST float sinpif(float x) { return (float)sinpi((double)x); }
WW_HOST float cospif(float x) { return (float)cospi((double)x); }
WW_HOST double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
WW_HOST float rhypotf(float x, float y) { return 1.0f / ::hypotf(x, y); }
WW_HOST double norm3d(double x, double y, double z) { return ::sqrt(x * x + y * y + z * z); }
WW_HOST float norm3df(float x, float y, float z) { return ::sqrtf(x * x + y * y + z * z); }
WW_HOST double norm4d(double x, double y, double z, double w) {
  return ::sqrt(x * x + y * y + z * z + w * w);
}
WW_HOST float norm4df(float x, float y, float z, float w) {
  return ::sqrtf(x * x + y * y + z * z + w * w);
}
WW_HOST double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
WW_HOST float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
WW_HOST float fdividef(float x, float y) { return x / y; }
WW_HOST double erfcx(double x) { return ::exp(x * x) * ::erfc(x); }
WW_HOST float erfcxf(float x) { return (float)erfcx((double)x); }
// Two steps of Newton's method from Winitzki's approximation.
WW_HOST double erfinv(double y) {
  if (y <= -1.0 || y >= 1.0) return y == 1.0 ? HUGE_VAL : y == -1.0 ? -HUGE_VAL : NAN;
  const double a = 0.147;
  const double l = ::log(1.0 - y * y);
  const double t = 2.0 / (3.14159265358979323846 * a) + l / 2.0;
  double x = ::copysign(::sqrt(::sqrt(t * t - l / a) - t), y);
  for (int i = 0; i < 3; ++i) x -= (::erf(x) - y) / (1.12837916709551257390 * ::exp(-x * x));
  return x;
}
WW_HOST float erfinvf(float y) { return (float)erfinv((double)y); }
WW_HOST double erfcinv(double y) { return erfinv(1.0 - y); }
WW_HOST float erfcinvf(float y) { return (float)erfcinv((double)y); }
WW_HOST double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2.0 * y); }
WW_HOST float normcdfinvf(float y) { return (float)normcdfinv((double)y); }
WW_HOST void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
WW_HOST void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}

// Constants of math_constants.h.
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
#define CUDART_NEG_ZERO_F -0.0f
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_THIRD_F 0.333333333f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_PIO2_F 1.570796327f
#define CUDART_3PIO4_F 2.356194490f
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_SQRT_2_OVER_PI_F 0.797884561f
#define CUDART_PI_F 3.141592654f
#define CUDART_L2E_F 1.442695041f
#define CUDART_L2T_F 3.321928094f
#define CUDART_LG2_F 0.301029996f
#define CUDART_LGE_F 0.434294482f
#define CUDART_LN2_F 0.693147181f
#define CUDART_LNT_F 2.302585093f
#define CUDART_INF __builtin_huge_val()
#define CUDART_NAN __builtin_nan("")
#define CUDART_ZERO 0.0
#define CUDART_ONE 1.0
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_SQRT_HALF 7.0710678118654757e-1
#define CUDART_THIRD 3.3333333333333333e-1
#define CUDART_PIO4 7.8539816339744828e-1
#define CUDART_PIO2 1.5707963267948966e+0
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_2_OVER_PI 6.3661977236758138e-1
#define CUDART_SQRT_2PI 2.5066282746310007e+0
#define CUDART_L2E 1.4426950408889634e+0
#define CUDART_LG2 3.0102999566398120e-1
#define CUDART_LGE 4.3429448190325182e-1
#define CUDART_LN2 6.9314718055994529e-1
#define CUDART_LNT 2.3025850929940459e+0

#endif
