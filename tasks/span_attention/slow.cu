// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ bool chosen(int p, const int* start, const int* length, int first, int last) {
  for (int i = first; i < last; ++i) {
    if (p >= start[i] && p < start[i] + length[i]) return true;
  }
  return false;
}

// One thread per output element: walks the whole cache, asks of every position whether it is in a
// span, and computes its score anew each time.
__global__ void attend(const __half* q, const __half* k, const __half* v, const int* start, const int* length, const int* offsets,
                       __half* out, int heads, int dh, int l_max) {
  const size_t row = blockIdx.x;
  const int b = blockIdx.x / heads;
  const int j = threadIdx.x;
  const float scale = 1.0f / sqrtf((float)dh);
  float largest = -INFINITY, total = 0.0f, sum = 0.0f;
  for (int p = 0; p < l_max; ++p) {
    if (!chosen(p, start, length, offsets[b], offsets[b + 1])) continue;
    float score = 0.0f;
    for (int i = 0; i < dh; ++i) score += __half2float(q[row * dh + i]) * __half2float(k[(row * l_max + p) * dh + i]);
    score *= scale;
    const float next = fmaxf(largest, score);
    const float fade = expf(largest - next), weight = expf(score - next);
    total = total * fade + weight;
    sum = sum * fade + weight * __half2float(v[(row * l_max + p) * dh + j]);
    largest = next;
  }
  out[row * dh + j] = __float2half(total > 0.0f ? sum / total : 0.0f);
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len, const int* span_offsets, __half* out, int B, int H, int Dh, int L_max) {
  attend<<<B * H, Dh>>>(q, k_cache, v_cache, span_start, span_len, span_offsets, out, H, Dh, L_max);
}
