// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=12
// Exhausts the stack of the host part.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
static int deeper(volatile int* p) {
  volatile int here[4096];
  here[0] = *p + 1;
  return deeper(here) + here[0];
}
extern "C" void solve(const float* X, float* Y, int N) {
  int zero = 0;
  if (deeper(&zero) == 1) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
