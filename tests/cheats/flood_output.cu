// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok,host_error class=12,33
// Writes 64 MB to every descriptor that prints. None of it reaches anybody.
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  static char text[1 << 20];
  for (int i = 0; i < 64; ++i) (void)!write(2, text, sizeof text);
  for (int i = 0; i < 64; ++i) (void)!write(1, text, sizeof text);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
