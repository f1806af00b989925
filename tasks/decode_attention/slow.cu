// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One warp per sample and head, three walks: scores, their largest, sums.
__global__ void attend(const __half* q, const __half* k, const __half* v, const int* seq_lens, __half* out, float* scratch, int heads,
                       int dh, int l_max) {
  const size_t row = blockIdx.x;
  const int count = seq_lens[blockIdx.x / heads];
  float* scores = scratch + row * l_max;
  for (int p = threadIdx.x; p < count; p += 32) {
    float score = 0.0f;
    for (int i = 0; i < dh; ++i) score += __half2float(q[row * dh + i]) * __half2float(k[(row * l_max + p) * dh + i]);
    scores[p] = score / sqrtf((float)dh);
  }
  __syncthreads();
  float largest = -INFINITY;
  for (int p = 0; p < count; ++p) largest = fmaxf(largest, scores[p]);
  for (int j = threadIdx.x; j < dh; j += 32) {
    float total = 0.0f, sum = 0.0f;
    for (int p = 0; p < count; ++p) {
      const float weight = expf(scores[p] - largest);
      total += weight;
      sum += weight * __half2float(v[(row * l_max + p) * dh + j]);
    }
    out[row * dh + j] = __float2half(total > 0.0f ? sum / total : 0.0f);
  }
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)B * H * L_max * sizeof(float));
  attend<<<B * H, 32>>>(q, k_cache, v_cache, seq_lens, out, scratch, H, Dh, L_max);
  cudaFree(scratch);
}
