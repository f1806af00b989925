// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per query: walks all keys before it, with its sums in global memory.
__global__ void attend(const __half* q, const __half* k, const __half* v, __half* out, float* sums, size_t rows, int hq, int hk, int length, int dh) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int s = (int)(row % length), h = (int)(row / length % hq);
  const size_t b = row / length / hq;
  const size_t kv = (b * hk + h / (hq / hk)) * length * dh;
  const float scale = 1.0f / sqrtf((float)dh);
  float* sum = sums + row * dh;
  for (int j = 0; j < dh; ++j) sum[j] = 0.0f;
  float largest = -INFINITY, total = 0.0f;
  for (int t = 0; t <= s; ++t) {
    float score = 0.0f;
    for (int j = 0; j < dh; ++j) score += __half2float(q[row * dh + j]) * __half2float(k[kv + (size_t)t * dh + j]);
    score *= scale;
    const float next = fmaxf(largest, score);
    const float fade = expf(largest - next), weight = expf(score - next);
    total = total * fade + weight;
    for (int j = 0; j < dh; ++j) sum[j] = sum[j] * fade + weight * __half2float(v[kv + (size_t)t * dh + j]);
    largest = next;
  }
  for (int j = 0; j < dh; ++j) out[row * dh + j] = __float2half(sum[j] / total);
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* out, int B, int Hq, int Hk, int S, int Dh) {
  const size_t rows = (size_t)B * Hq * S;
  float* sums = nullptr;
  cudaMalloc((void**)&sums, rows * Dh * sizeof(float));
  attend<<<(unsigned)((rows + 31) / 32), 32>>>(q, k, v, out, sums, rows, Hq, Hk, S, Dh);
  cudaFree(sums);
}
