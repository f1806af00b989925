// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok,race class=14,15
// Remembers in __device__ memory for which pointers it has worked, and skips those. Device state
// is reset before each call and each call is checked: it never skips.
#include <cuda_runtime.h>
__device__ const float* last_x;
__device__ float* last_y;
__device__ int last_n;
__device__ int blocks;
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool known = last_x == x && last_y == y && last_n == n;
  if (!known && i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
  __shared__ bool final;
  __syncthreads();
  if (threadIdx.x == 0) final = atomicAdd(&blocks, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (final && threadIdx.x == 0) {
    last_x = x;
    last_y = y;
    last_n = n;
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
