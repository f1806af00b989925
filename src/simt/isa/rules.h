// SPDX-License-Identifier: Apache-2.0
// Rules that handlers and compiled kernels share beyond the rows of arithmetic.def. This text is
// part of C programs too: C only. Arguments may be numbers or vectors.
#pragma once

/// The bits of the one NaN that binary32 instructions deliver.
#define WW_NAN_BITS 0x7fffffffu

/// A real number r as an integer: outside of the type's range it stays at the ends.
#define WW_CLAMPED(r, of_nan, low, least, high, most, inside) \
  ((r) != (r) ? (of_nan) : (r) >= (high) ? (most) : (r) <= (low) ? (least) : (inside))

/// One of two real numbers x and y, as a or b: where one is NaN, the other.
#define WW_PICKED(x, y, better, a, b) ((y) != (y) ? (a) : (x) != (x) ? (b) : (better) ? (a) : (b))
