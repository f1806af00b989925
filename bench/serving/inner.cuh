// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention of up to eight queries of one sample and head over a part of its keys: what all comparators
// consist of. They differ in which queries a block has and in which keys it reads.
//
// Keys and values go from memory to registers in loads of 16 bytes and from there to tensor cores. A dot
// product does not care in which order its terms come, so lanes take the eight halves of a load as the
// columns that the matrix instruction wants of them: of a key the columns 32i + 8c .. 32i + 8c + 7, of a value
// 8g .. 8g + 7 and 64 + 8g .. 64 + 8g + 7, where c is the lane's number within four and g the number of the four.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kWidth = 128, kMostRows = 8, kWarps = 4, kTile = 16;
constexpr float kScale = 0.08838834764f * 1.44269504f;  // 1 / sqrt(kWidth), for powers of two

// Which queries and keys: rows of `q` and `out` ([rows, heads, kWidth]) from `first` on; row r sees
// the keys below `limit + r`; keys below `keys` are read.
struct Part {
  int sample, first, rows, limit, keys;
};

struct Partial {
  float largest, total;
};

__device__ inline void multiply(float (&c)[4], unsigned a0, unsigned a2, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(0u), "r"(a2), "r"(0u), "r"(b0), "r"(b1));
}

__device__ inline unsigned pair_of(float a, float b) {
  const __half2 both = __floats2half2_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&both);
}

__device__ inline uint4 load(const __half* p) { return __ldg(reinterpret_cast<const uint4*>(p)); }

__device__ inline float of_four(float x, bool sum) {
  for (int distance = 1; distance < 4; distance *= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, x, distance);
    x = sum ? x + other : fmaxf(x, other);
  }
  return x;
}

// What one warp has seen so far: of row g the largest score, the sum of weights, and weighted values.
struct Seen {
  float largest = -INFINITY, total = 0.0f;
  float sums[16][4] = {};
};

__device__ inline void add_tile(Seen& seen, const uint4 (&query)[4], const __half* keys, const __half* values, int tile, const Part& part) {
  const int lane = threadIdx.x % 32, g = lane / 4, c = lane % 4, last = part.keys - 1;
  uint4 key[2][4], value[4][2];
  for (int n = 0; n < 2; ++n) {
    const __half* row = keys + (size_t)min(tile + 8 * n + g, last) * kWidth + 8 * c;
    for (int i = 0; i < 4; ++i) key[n][i] = load(row + 32 * i);
  }
  // Lane c has the weights of the keys 2c, 2c + 1, 2c + 8 and 2c + 9.
  for (int i = 0; i < 4; ++i) {
    const __half* row = values + (size_t)min(tile + 2 * c + i % 2 + 8 * (i / 2), last) * kWidth + 8 * g;
    for (int half = 0; half < 2; ++half) value[i][half] = load(row + 64 * half);
  }
  float score[2][4] = {};
  for (int i = 0; i < 4; ++i) {
    for (int n = 0; n < 2; ++n) {
      multiply(score[n], query[i].x, query[i].y, key[n][i].x, key[n][i].y);
      multiply(score[n], query[i].z, query[i].w, key[n][i].z, key[n][i].w);
    }
  }
  const int limit = min(part.limit + g, part.keys);
  float largest = seen.largest;
  for (int n = 0; n < 2; ++n) {
    for (int e = 0; e < 2; ++e) {
      score[n][e] = tile + 8 * n + 2 * c + e < limit ? score[n][e] * kScale : -INFINITY;
      largest = fmaxf(largest, score[n][e]);
    }
  }
  largest = of_four(largest, false);
  const float base = largest == -INFINITY ? 0.0f : largest;
  const float fade = exp2f(seen.largest - base);
  float weight[2][2], total = 0.0f;
  for (int n = 0; n < 2; ++n) {
    for (int e = 0; e < 2; ++e) total += weight[n][e] = exp2f(score[n][e] - base);
  }
  seen.total = seen.total * fade + total;
  seen.largest = largest;
  const unsigned a0 = pair_of(weight[0][0], weight[0][1]), a2 = pair_of(weight[1][0], weight[1][1]);
  for (int half = 0; half < 2; ++half) {
    const unsigned* v0 = reinterpret_cast<const unsigned*>(&value[0][half]);
    const unsigned* v1 = reinterpret_cast<const unsigned*>(&value[1][half]);
    const unsigned* v2 = reinterpret_cast<const unsigned*>(&value[2][half]);
    const unsigned* v3 = reinterpret_cast<const unsigned*>(&value[3][half]);
    for (int d = 0; d < 8; ++d) {
      const unsigned which = d % 2 == 0 ? 0x5410 : 0x7632;
      float(&sum)[4] = seen.sums[8 * half + d];
      sum[0] *= fade;
      sum[1] *= fade;
      multiply(sum, a0, a2, __byte_perm(v0[d / 2], v1[d / 2], which), __byte_perm(v2[d / 2], v3[d / 2], which));
    }
  }
}

// The warps' parts become one; column 8x + d of value group x is n-tile d of its half.
__device__ inline void merge_warps(Seen& seen, const Part& part, int heads, int head, int splits, float* sums, Partial* partials) {
  __shared__ float shared[kWarps][kMostRows][kWidth];
  __shared__ Partial each[kWarps][kMostRows];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
  const float total = of_four(seen.total, true);
  if (c == 0) each[warp][g] = {seen.largest, total};
  for (int tile = 0; tile < 16; ++tile) {
    for (int e = 0; e < 2; ++e) shared[warp][g][(tile / 8) * 64 + (2 * c + e) * 8 + tile % 8] = seen.sums[tile][e];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < part.rows * kWidth; i += blockDim.x) {
    const int r = i / kWidth, j = i % kWidth;
    float largest = -INFINITY, all = 0.0f, sum = 0.0f;
    for (int w = 0; w < kWarps; ++w) largest = fmaxf(largest, each[w][r].largest);
    const float base = largest == -INFINITY ? 0.0f : largest;
    for (int w = 0; w < kWarps; ++w) {
      const float fade = exp2f(each[w][r].largest - base);
      all += each[w][r].total * fade;
      sum += shared[w][r][j] * fade;
    }
    const size_t to = ((size_t)(part.first + r) * heads + head) * splits + blockIdx.x;
    sums[to * kWidth + j] = sum;
    if (j == 0) partials[to] = {largest, all};
  }
}

// A block: the keys from blockIdx.x * chunk on, of head blockIdx.y, for the part that `Find` gives to blockIdx.z.
template <class Find>
__global__ void __launch_bounds__(32 * kWarps) attend_part(Find find, const __half* q, const __half* k_cache, const __half* v_cache,
                                                           float* sums, Partial* partials, int heads, int l_max, int chunk) {
  const Part part = find((int)blockIdx.z);
  const int head = blockIdx.y, begin = blockIdx.x * chunk, end = min(begin + chunk, part.keys);
  if (part.rows == 0 || begin >= end) return;
  const int lane = threadIdx.x % 32, g = lane / 4, c = lane % 4;
  const size_t cache = ((size_t)part.sample * heads + head) * l_max * kWidth;
  uint4 query[4] = {};
  if (g < part.rows) {
    for (int i = 0; i < 4; ++i) query[i] = load(q + ((size_t)(part.first + g) * heads + head) * kWidth + 32 * i + 8 * c);
  }
  Seen seen;
  for (int tile = begin + kTile * (threadIdx.x / 32); tile < end; tile += kTile * kWarps)
    add_tile(seen, query, k_cache + cache, v_cache + cache, tile, part);
  merge_warps(seen, part, heads, head, gridDim.x, sums, partials);
}

// One block per row and head puts the splits together; `find_row` gives the keys that the row's blocks read.
template <class FindRow>
__global__ void combine(FindRow find_row, const float* sums, const Partial* partials, __half* out, int heads, int splits, int chunk) {
  const int keys = find_row((int)blockIdx.y), used = min(splits, (keys + chunk - 1) / chunk);
  const size_t row = (size_t)blockIdx.y * heads + blockIdx.x;
  float largest = -INFINITY, total = 0.0f, sum = 0.0f;
  for (int s = 0; s < used; ++s) largest = fmaxf(largest, partials[row * splits + s].largest);
  const float base = largest == -INFINITY ? 0.0f : largest;
  for (int s = 0; s < used; ++s) {
    const Partial part = partials[row * splits + s];
    const float fade = exp2f(part.largest - base);
    total += part.total * fade;
    sum += sums[(row * splits + s) * kWidth + threadIdx.x] * fade;
  }
  out[row * kWidth + threadIdx.x] = __float2half(total > 0.0f ? sum / total : 0.0f);
}
