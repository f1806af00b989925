// SPDX-License-Identifier: Apache-2.0
// Vectors of two and four elements a lane, taken apart and put together again.
#define PAIRS(T) typedef T T##x2 __attribute__((ext_vector_type(64))); \
  typedef T##x2 T##m2 __attribute__((aligned(sizeof(T)), may_alias)); \
  typedef T T##x4 __attribute__((ext_vector_type(128))); \
  typedef T##x4 T##m4 __attribute__((aligned(sizeof(T)), may_alias));
PAIRS(u8) PAIRS(s8) PAIRS(u16) PAIRS(s16) PAIRS(u32) PAIRS(s32) PAIRS(u64) PAIRS(s64)
#define EVERY(n, k) k,n+k,2*n+k,3*n+k,4*n+k,5*n+k,6*n+k,7*n+k,8*n+k,9*n+k,10*n+k,11*n+k,12*n+k,13*n+k, \
  14*n+k,15*n+k,16*n+k,17*n+k,18*n+k,19*n+k,20*n+k,21*n+k,22*n+k,23*n+k,24*n+k,25*n+k,26*n+k,27*n+k, \
  28*n+k,29*n+k,30*n+k,31*n+k
#define BOTH4(n, k) k,n+k,k+1,n+k+1,k+2,n+k+2,k+3,n+k+3
#define BOTH16(n, k) BOTH4(n, k), BOTH4(n, k + 4), BOTH4(n, k + 8), BOTH4(n, k + 12)
#define LD2(T, p, k) __builtin_shufflevector(*(const T##m2*)(p), *(const T##m2*)(p), EVERY(2, k))
#define LD4(T, p, k) __builtin_shufflevector(*(const T##m4*)(p), *(const T##m4*)(p), EVERY(4, k))
#define MIX2(a, b) __builtin_shufflevector(a, b, BOTH16(32, 0), BOTH16(32, 16))
#define ST2(T, p, a, b) (*(T##m2*)(p) = MIX2(a, b))
#define ST4(T, p, a, b, c, d) (*(T##m4*)(p) = __builtin_shufflevector(MIX2(a, c), MIX2(b, d), \
  BOTH16(64, 0), BOTH16(64, 16), BOTH16(64, 32), BOTH16(64, 48)))
