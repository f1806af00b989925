// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One block per sample and head: the new tokens one after another, each appended and then attended
// with one thread per output element, which computes every score anew.
__global__ void step(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache, const int* seq_lens,
                     const int* token_nums, __half* out, int heads, int dh, int l_max) {
  const int b = blockIdx.x / heads, h = blockIdx.x % heads, j = threadIdx.x;
  const size_t cache = (size_t)blockIdx.x * l_max * dh;
  const float scale = 1.0f / sqrtf((float)dh);
  int t = 0;
  for (int i = 0; i < b; ++i) t += token_nums[i];
  for (int s = 0; s < token_nums[b]; ++s, ++t) {
    const int n = seq_lens[b] + s;
    const size_t row = ((size_t)t * heads + h) * dh;
    k_cache[cache + (size_t)n * dh + j] = k_new[row + j];
    v_cache[cache + (size_t)n * dh + j] = v_new[row + j];
    __syncthreads();
    float largest = -INFINITY, total = 0.0f, sum = 0.0f;
    for (int p = 0; p <= n; ++p) {
      float score = 0.0f;
      for (int i = 0; i < dh; ++i) score += __half2float(q[row + i]) * __half2float(k_cache[cache + (size_t)p * dh + i]);
      score *= scale;
      const float next = fmaxf(largest, score);
      const float fade = expf(largest - next), weight = expf(score - next);
      total = total * fade + weight;
      sum = sum * fade + weight * __half2float(v_cache[cache + (size_t)p * dh + j]);
      largest = next;
    }
    out[row + j] = __float2half(sum / total);
  }
}

extern "C" void solve(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache, const int* seq_lens, const int* token_nums, __half* out, int B, int T, int H, int Dh, int L_max) {
  step<<<B * H, Dh>>>(q, k_new, v_new, k_cache, v_cache, seq_lens, token_nums, out, H, Dh, L_max);
}
