// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=ok class=6,34
// Right in the first calls and wrong afterwards, counted in a __device__ variable. The variable is
// reset before each call, so every call is the first.
#include <cuda_runtime.h>
__device__ int calls;
__device__ int finished;
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = finished > 1000000 || calls > 0 ? 0.0f : 1.0f / (1.0f + expf(-x[i]));
  if (i == n - 1) atomicAdd(&finished, 1);
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
