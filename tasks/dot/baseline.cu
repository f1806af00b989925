// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Each thread adds up a strided part, a tree in shared memory joins them, one atomic per block.
__global__ void dot(const float* a, const float* b, float* result, int n) {
  __shared__ float partial[256];
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, partial[0]);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  const int blocks = (N + 255) / 256;
  cudaMemsetAsync(result, 0, sizeof(float));
  dot<<<blocks < 1024 ? blocks : 1024, 256>>>(A, B, result, N);
}
