// SPDX-License-Identifier: Apache-2.0
// Random numbers on the device: Philox4x32-10 (Salmon et al., SC11) under cuRAND's names. The other
// state types are Philox too, so their streams differ from cuRAND's while their quality does not.
#pragma once

#include "cuda_runtime.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

struct curandStatePhilox4_32_10 {
  uint4 counter;
  uint4 output;
  uint2 key;
  unsigned used;  ///< words of output already given
  int has_normal;
  float normal;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStatePhilox4_32_10 curandState;
typedef curandStatePhilox4_32_10 curandState_t;
typedef curandStatePhilox4_32_10 curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStateMRG32k3a_t;

namespace ww_curand {

static inline __device__ uint4 philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53U, c.x), low0 = 0xD2511F53U * c.x;
    const unsigned high1 = __umulhi(0xCD9E8D57U, c.z), low1 = 0xCD9E8D57U * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k.x += 0x9E3779B9U;
    k.y += 0xBB67AE85U;
  }
  return c;
}

static inline __device__ void advance(uint4& c, unsigned long long blocks) {
  const unsigned long long low = ((unsigned long long)c.y << 32) | c.x;
  const unsigned long long sum = low + blocks;
  c.x = (unsigned)sum;
  c.y = (unsigned)(sum >> 32);
  if (sum < low && ++c.z == 0) ++c.w;
}

static inline __device__ float uniform(unsigned bits) {
  return bits * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
static inline __device__ float2 normals(unsigned a, unsigned b) {
  const float radius = sqrtf(-2.0f * logf(uniform(a)));
  const float angle = uniform(b) * 6.2831853f;
  return make_float2(radius * sinf(angle), radius * cosf(angle));
}

}  // namespace ww_curand

static inline __device__ void curand_init(unsigned long long seed, unsigned long long subsequence,
                                          unsigned long long offset,
                                          curandStatePhilox4_32_10* state) {
  state->counter = make_uint4(0, 0, (unsigned)subsequence, (unsigned)(subsequence >> 32));
  state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  ww_curand::advance(state->counter, offset / 4);
  state->used = (unsigned)(offset & 3);
  state->has_normal = 0;
  state->normal = 0;
  state->output = ww_curand::philox(state->counter, state->key);
}
static inline __device__ unsigned curand(curandStatePhilox4_32_10* state) {
  const uint4 o = state->output;
  const unsigned word = state->used == 0   ? o.x
                        : state->used == 1 ? o.y
                        : state->used == 2 ? o.z
                                           : o.w;
  if (++state->used == 4) {
    ww_curand::advance(state->counter, 1);
    state->output = ww_curand::philox(state->counter, state->key);
    state->used = 0;
  }
  return word;
}
static inline __device__ uint4 curand4(curandStatePhilox4_32_10* state) {
  uint4 result;
  result.x = curand(state);
  result.y = curand(state);
  result.z = curand(state);
  result.w = curand(state);
  return result;
}
/// In (0, 1].
static inline __device__ float curand_uniform(curandStatePhilox4_32_10* state) {
  return ww_curand::uniform(curand(state));
}
static inline __device__ float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 w = curand4(state);
  return make_float4(ww_curand::uniform(w.x), ww_curand::uniform(w.y), ww_curand::uniform(w.z),
                     ww_curand::uniform(w.w));
}
static inline __device__ double curand_uniform_double(curandStatePhilox4_32_10* state) {
  const unsigned long long low = curand(state), high = curand(state);
  return (double)(((high << 21) ^ low) & ((1ULL << 53) - 1)) * 1.1102230246251565e-16 +
         5.5511151231257827e-17;
}
static inline __device__ float2 curand_normal2(curandStatePhilox4_32_10* state) {
  const unsigned a = curand(state), b = curand(state);
  return ww_curand::normals(a, b);
}
static inline __device__ float curand_normal(curandStatePhilox4_32_10* state) {
  if (state->has_normal != 0) {
    state->has_normal = 0;
    return state->normal;
  }
  const float2 pair = curand_normal2(state);
  state->has_normal = 1;
  state->normal = pair.y;
  return pair.x;
}
static inline __device__ float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const float2 a = curand_normal2(state), b = curand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}
static inline __device__ void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  for (; n % 4 != 0; --n) (void)curand(state);
  ww_curand::advance(state->counter, n / 4);
  state->output = ww_curand::philox(state->counter, state->key);
}

#endif

#pragma clang attribute pop
