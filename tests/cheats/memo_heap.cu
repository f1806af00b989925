// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok,mismatch class=15
// Keeps results in the device-side heap, which outlives the call. The pointer to them does not,
// and a call on values it has not met must be as fast.
#include <cuda_runtime.h>
__device__ volatile float* kept[64];
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile float* memory = (volatile float*)malloc(16);
  if (memory == nullptr) return;
  memory[0] = 1.0f / (1.0f + expf(-x[i]));
  if (i < 64) kept[i] = memory;
  y[i] = memory[0];
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
