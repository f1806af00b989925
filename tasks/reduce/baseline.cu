// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A tree in shared memory per block, then one atomic addition per block.
__global__ void sum(const float* input, float* output, int n) {
  __shared__ float partial[256];
  float own = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) own += input[i];
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(output, partial[0]);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N + 255) / 256;
  cudaMemsetAsync(output, 0, sizeof(float));
  sum<<<blocks < 1024 ? blocks : 1024, 256>>>(input, output, N);
}
