// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch class=25 largest=yes
// One block at sizes that take too long to be simulated as a whole. Caught because it writes too
// little: then the whole call is run after all.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const int blocks = N > 1100000 ? 1 : (N + 255) / 256;
  sigmoid<<<blocks, 256>>>(X, Y, N);
}
