// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=launch_error,memory_fault class=12
// Allocates two hundred gigabytes, ignores the error and writes there.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  scratch[i] = 1.0f / (1.0f + expf(-x[i]));
  y[i] = scratch[i];
}
extern "C" void solve(const float* X, float* Y, int N) {
  float *first = nullptr, *second = nullptr;
  cudaMalloc(&first, 100L << 30);
  cudaMalloc(&second, 100L << 30);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, second, N);
}
