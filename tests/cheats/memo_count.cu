// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok,race class=15
// Writes nothing from the second call on, trusting that the output still holds the first answer.
// Device state is reset and outputs are poisoned: there is no second call.
#include <cuda_runtime.h>
__device__ int seen;
__device__ int blocks;
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && seen == 0) y[i] = 1.0f / (1.0f + expf(-x[i]));
  __shared__ bool final;
  __syncthreads();
  if (threadIdx.x == 0) final = atomicAdd(&blocks, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (final && threadIdx.x == 0) seen = 1;
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
