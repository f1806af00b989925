// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per row, three serial walks.
__global__ void cross_entropy(const __half* logits, const int* labels, float* loss, __half* dlogits, int n, int v, float grad_scale) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  const __half* row = logits + (size_t)r * v;
  __half* to = dlogits + (size_t)r * v;
  const int label = labels[r];
  if (label == -100) {
    for (int i = 0; i < v; ++i) to[i] = __float2half(0.0f);
    return;
  }
  int tokens = 0;
  for (int i = 0; i < n; ++i) tokens += labels[i] != -100;
  float largest = -INFINITY, sum = 0.0f;
  for (int i = 0; i < v; ++i) largest = fmaxf(largest, __half2float(row[i]));
  for (int i = 0; i < v; ++i) sum += expf(__half2float(row[i]) - largest);
  for (int i = 0; i < v; ++i) {
    const float p = expf(__half2float(row[i]) - largest) / sum;
    to[i] = __float2half(grad_scale / tokens * (i == label ? p - 1.0f : p));
  }
  atomicAdd(loss, (largest + logf(sum) - __half2float(row[label])) / tokens);
}

extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy<<<(N + 31) / 32, 32>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
