// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128;

// One block per query, keys in chunks of a block's size: each thread scores one key of the chunk, then
// sums up some elements of the output over the chunk.
__global__ void attend(const __half* q, const __half* k, const __half* v, __half* out, float* sums, int hq, int hk, int length, int dh) {
  __shared__ float weights[kThreads];
  __shared__ float shared[kThreads];
  const int s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
  const size_t row = ((size_t)b * hq + h) * length + s;
  const size_t kv = ((size_t)b * hk + h / (hq / hk)) * length * dh;
  const float scale = 1.0f / sqrtf((float)dh);
  float* sum = sums + row * dh;
  for (int j = threadIdx.x; j < dh; j += kThreads) sum[j] = 0.0f;
  float largest = -INFINITY, total = 0.0f;
  for (int first = 0; first <= s; first += kThreads) {
    const int t = first + threadIdx.x;
    float score = -INFINITY;
    if (t <= s) {
      score = 0.0f;
      for (int j = 0; j < dh; ++j) score += __half2float(q[row * dh + j]) * __half2float(k[kv + (size_t)t * dh + j]);
      score *= scale;
    }
    shared[threadIdx.x] = score;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
      __syncthreads();
    }
    const float next = fmaxf(largest, shared[0]);
    const float fade = expf(largest - next);
    weights[threadIdx.x] = t <= s ? expf(score - next) : 0.0f;
    __syncthreads();
    const int count = min(kThreads, s + 1 - first);
    total *= fade;
    for (int i = 0; i < count; ++i) total += weights[i];
    for (int j = threadIdx.x; j < dh; j += kThreads) {
      float part = sum[j] * fade;
      for (int i = 0; i < count; ++i) part += weights[i] * __half2float(v[kv + (size_t)(first + i) * dh + j]);
      sum[j] = part;
    }
    largest = next;
    __syncthreads();
  }
  for (int j = threadIdx.x; j < dh; j += kThreads) out[row * dh + j] = __float2half(sum[j] / total);
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* out, int B, int Hq, int Hk, int S, int Dh) {
  float* sums = nullptr;
  cudaMalloc((void**)&sums, (size_t)B * Hq * S * Dh * sizeof(float));
  attend<<<dim3(S, Hq, B), kThreads>>>(q, k, v, out, sums, Hq, Hk, S, Dh);
  cudaFree(sums);
}
