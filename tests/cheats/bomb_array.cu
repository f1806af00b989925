// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=compile_error,timeout class=36
// A gigabyte of initialised data.
#include <cuda_runtime.h>
char bomb[5L << 30] = {1};
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (bomb[N] == 7) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
