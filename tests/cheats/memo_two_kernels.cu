// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch class=15,34
// Counts its calls on the device and answers wrongly from the second launch on; it launches twice,
// so the second one overwrites the right answer.
#include <cuda_runtime.h>
__device__ int launches;
__global__ void sigmoid(const float* x, float* y, int n, int number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = launches > 0 ? 0.0f : 1.0f / (1.0f + expf(-x[i]));
  if (number == 1 && i == 0) launches = 0;
}
__device__ void unused() {}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N, 0);
  const int one = 1;
  cudaMemcpyToSymbol(launches, &one, sizeof one);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N, 0);
}
