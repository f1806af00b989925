// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=race,mismatch class=28
// A tile without a barrier, right by luck on some machines.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  __shared__ float tile[256];
  const int first = blockIdx.x * 256, i = first + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  const int other = 255 - threadIdx.x;
  if (first + other < n) y[first + other] = 1.0f / (1.0f + expf(-tile[other]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
