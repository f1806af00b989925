// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum of three, of sums, with a floor of zero, with a predicate; see
// warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_MINMAX_H
#define WARPWRIGHT_HIP_MINMAX_H

#include "warpwright_hip_video.h"

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

#endif
