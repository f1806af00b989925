// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=race,timeout class=28
// Some threads of a block skip a barrier.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[256];
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  if (threadIdx.x % 2 == 0) __syncthreads();
  y[i] = 1.0f / (1.0f + expf(-tile[threadIdx.x]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
