// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=memory_fault class=31
// Loads vectors from addresses that are not theirs.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = 1 + 4 * i;
  if (at + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + at);
    y[at] = 1.0f / (1.0f + expf(-v.x));
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
