// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=timeout class=2,14
// Lets the host compute for a quarter of a second, in a call whose kernel is timed alone.
#include <math.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  volatile double sum = 0;
  for (long i = 0; i < 30'000'000; ++i) sum = sum + i * 1e-9;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, sum < 0 ? 0 : N);
}
