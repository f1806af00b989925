// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One warp per sample and head: the new tokens one after another, each appended and then attended.
__global__ void step(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache, const int* seq_lens,
                     const int* token_nums, __half* out, float* scratch, int heads, int dh, int l_max) {
  const int b = blockIdx.x / heads, h = blockIdx.x % heads;
  const size_t cache = (size_t)blockIdx.x * l_max * dh;
  float* scores = scratch + (size_t)blockIdx.x * l_max;
  int t = 0;
  for (int i = 0; i < b; ++i) t += token_nums[i];
  for (int s = 0; s < token_nums[b]; ++s, ++t) {
    const int n = seq_lens[b] + s;
    const size_t row = ((size_t)t * heads + h) * dh;
    for (int j = threadIdx.x; j < dh; j += 32) {
      k_cache[cache + (size_t)n * dh + j] = k_new[row + j];
      v_cache[cache + (size_t)n * dh + j] = v_new[row + j];
    }
    __syncthreads();
    for (int p = threadIdx.x; p <= n; p += 32) {
      float score = 0.0f;
      for (int i = 0; i < dh; ++i) score += __half2float(q[row + i]) * __half2float(k_cache[cache + (size_t)p * dh + i]);
      scores[p] = score / sqrtf((float)dh);
    }
    __syncthreads();
    float largest = -INFINITY;
    for (int p = 0; p <= n; ++p) largest = fmaxf(largest, scores[p]);
    for (int j = threadIdx.x; j < dh; j += 32) {
      float total = 0.0f, sum = 0.0f;
      for (int p = 0; p <= n; ++p) {
        const float weight = expf(scores[p] - largest);
        total += weight;
        sum += weight * __half2float(v_cache[cache + (size_t)p * dh + j]);
      }
      out[row + j] = __float2half(sum / total);
    }
    __syncthreads();
  }
}

extern "C" void solve(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache, const int* seq_lens, const int* token_nums, __half* out, int B, int T, int H, int Dh, int L_max) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)B * H * L_max * sizeof(float));
  step<<<B * H, 32>>>(q, k_new, v_new, k_cache, v_cache, seq_lens, token_nums, out, scratch, H, Dh, L_max);
  cudaFree(scratch);
}
