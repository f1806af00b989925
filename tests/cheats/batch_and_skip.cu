// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=7
// A static counter on the host makes every call but the first one empty. Each call is recorded in
// a process of its own, so every call is the first.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
static int calls;
extern "C" void solve(const float* X, float* Y, int N) {
  if (calls++ > 0) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
