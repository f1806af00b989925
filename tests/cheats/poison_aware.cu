// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok class=16
// Computes only where the output is not yet right. The poison is new before every call, so it
// always computes.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float right = 1.0f / (1.0f + expf(-x[i]));
  if (y[i] != right) y[i] = right;
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
