// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// An atomic addition per thread of a few thousand.
__device__ float term(const float* a, const float* b, int i) { return a[i]; }

__global__ void sum(const float* a, const float* b, float* out, int n) {
  float own = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += term(a, b, i);
  atomicAdd(out, own * 1.0f);
}

static void start(const float* a, const float* b, float* out, int n) {
  cudaMemsetAsync(out, 0, sizeof(float));
  const int blocks = (n + 255) / 256;
  sum<<<blocks < 264 ? blocks : 264, 256>>>(a, b, out, n);
}

extern "C" void solve(const float* input, float* output, int N) { start(input, input, output, N); }
