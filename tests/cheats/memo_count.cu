// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=ok class=15
// Writes twice the result from the second call on. Device state is reset: there is no second call.
#include <cuda_runtime.h>
__device__ int seen;
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (1.0f + seen) / (1.0f + expf(-x[i]));
  if (i == 0 && n > 1000000000) seen = 1;
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
