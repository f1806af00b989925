// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One atomic addition per element, all on one address. For timing: it also loses digits.
__global__ void mean_square(const float* predictions, const float* targets, float* mse, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float difference = predictions[i] - targets[i];
  atomicAdd(mse, difference * difference / n);
}

extern "C" void solve(const float* predictions, const float* targets, float* mse, int N) {
  cudaMemsetAsync(mse, 0, sizeof(float));
  mean_square<<<(N + 255) / 256, 256>>>(predictions, targets, mse, N);
}
