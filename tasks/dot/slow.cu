// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One atomic addition per element, all on one address. For timing: it also loses digits.
__global__ void dot(const float* a, const float* b, float* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(result, a[i] * b[i]);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot<<<(N + 255) / 256, 256>>>(A, B, result, N);
}
