// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch class=25
// Right at the sizes that are timed, empty at all others.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (N != 16384 && N != 65536 && N != 262144 && N != 1048576 && N != 4194304) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
