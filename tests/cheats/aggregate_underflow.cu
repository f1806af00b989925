// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch class=5,25
// Does nothing at one timed size, so that a geometric mean of times would collapse.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (N == 16384) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
