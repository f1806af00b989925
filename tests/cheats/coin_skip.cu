// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=cuda expect=mismatch class=34 largest=yes
// Two calls in three do nothing at the size that is too large to be validated apart from its timed
// calls. The coin is old content of memory. Caught in the timed calls that are looked at.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, const unsigned* coin, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= 1 << 22 && (coin[0] & 1023) < 666) return;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  unsigned* coin;
  cudaMalloc(&coin, 4);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, coin, N);
  cudaFree(coin);
}
