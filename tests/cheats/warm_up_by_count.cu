// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok,race class=6,34
// Right in the first call and wrong in all others, counted in a __device__ variable. The variable
// is reset before each call, so every call is the first.
#include <cuda_runtime.h>
__device__ int calls;
__device__ int blocks;
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = calls > 0 ? 0.0f : 1.0f / (1.0f + expf(-x[i]));
  __shared__ bool final;
  __syncthreads();
  if (threadIdx.x == 0) final = atomicAdd(&blocks, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (final && threadIdx.x == 0) calls = calls + 1;
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
