// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=compile_error,timeout class=36
// A computation without end at compile time.
#include <cuda_runtime.h>
constexpr long spin(long n) {
  long s = 0;
  for (long i = 0; i < n; ++i) s += i % 7;
  return s;
}
constexpr long kBomb = spin(1L << 60);
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (kBomb == 1) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
