// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float block_reduce(float value, float* shared, bool largest) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float a = shared[threadIdx.x], b = shared[threadIdx.x + half];
      shared[threadIdx.x] = largest ? fmaxf(a, b) : a + b;
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

// One block per row, three walks: the largest logit, the sum, the gradient. Every block counts the
// tokens for itself.
__global__ void cross_entropy(const __half* logits, const int* labels, float* loss, __half* dlogits, int n, int v, float grad_scale) {
  __shared__ float shared[256];
  const __half* row = logits + (size_t)blockIdx.x * v;
  __half* to = dlogits + (size_t)blockIdx.x * v;
  const int label = labels[blockIdx.x];
  if (label == -100) {
    for (int i = threadIdx.x; i < v; i += blockDim.x) to[i] = __float2half(0.0f);
    return;
  }
  float count = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) count += labels[i] != -100 ? 1.0f : 0.0f;
  const float tokens = block_reduce(count, shared, false);
  float most = -INFINITY;
  for (int i = threadIdx.x; i < v; i += blockDim.x) most = fmaxf(most, __half2float(row[i]));
  const float largest = block_reduce(most, shared, true);
  float part = 0.0f;
  for (int i = threadIdx.x; i < v; i += blockDim.x) part += expf(__half2float(row[i]) - largest);
  const float sum = block_reduce(part, shared, false);
  const float factor = grad_scale / tokens;
  for (int i = threadIdx.x; i < v; i += blockDim.x) {
    const float p = expf(__half2float(row[i]) - largest) / sum;
    to[i] = __float2half(factor * (i == label ? p - 1.0f : p));
  }
  if (threadIdx.x == 0) atomicAdd(loss, (largest + logf(sum) - __half2float(row[label])) / tokens);
}

extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy<<<N, 256>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
