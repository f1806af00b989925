// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=memory_fault class=28,31
// Indexes behind its shared memory.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile float tile[32];
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  y[i] = 1.0f / (1.0f + expf(-tile[threadIdx.x]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
