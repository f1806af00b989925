// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ bool chosen(int p, const int* start, const int* length, int first, int last) {
  for (int i = first; i < last; ++i) {
    if (p >= start[i] && p < start[i] + length[i]) return true;
  }
  return false;
}

// One warp per sample and head: walks the whole cache, asks of every position whether it is in a span,
// and takes a score of minus infinity where it is not.
__global__ void attend(const __half* q, const __half* k, const __half* v, const int* start, const int* length, const int* offsets,
                       __half* out, float* scratch, int heads, int dh, int l_max) {
  const size_t row = blockIdx.x;
  const int b = blockIdx.x / heads;
  float* scores = scratch + row * l_max;
  for (int p = threadIdx.x; p < l_max; p += 32) {
    float score = -INFINITY;
    if (chosen(p, start, length, offsets[b], offsets[b + 1])) {
      score = 0.0f;
      for (int i = 0; i < dh; ++i) score += __half2float(q[row * dh + i]) * __half2float(k[(row * l_max + p) * dh + i]);
      score /= sqrtf((float)dh);
    }
    scores[p] = score;
  }
  __syncthreads();
  float largest = -INFINITY;
  for (int p = 0; p < l_max; ++p) largest = fmaxf(largest, scores[p]);
  for (int j = threadIdx.x; j < dh; j += 32) {
    float total = 0.0f, sum = 0.0f;
    for (int p = 0; p < l_max; ++p) {
      if (scores[p] == -INFINITY) continue;
      const float weight = expf(scores[p] - largest);
      total += weight;
      sum += weight * __half2float(v[(row * l_max + p) * dh + j]);
    }
    out[row * dh + j] = __float2half(total > 0.0f ? sum / total : 0.0f);
  }
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len, const int* span_offsets, __half* out, int B, int H, int Dh, int L_max) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)B * H * L_max * sizeof(float));
  attend<<<B * H, 32>>>(q, k_cache, v_cache, span_start, span_len, span_offsets, out, scratch, H, Dh, L_max);
  cudaFree(scratch);
}
