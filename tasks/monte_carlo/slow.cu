// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One atomic addition per sample, all on one address. For timing: it also loses digits.
__global__ void integrate(const float* samples, float* result, float width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(result, samples[i] * width / n);
}

extern "C" void solve(const float* y_samples, float* result, float a, float b, int n_samples) {
  cudaMemsetAsync(result, 0, sizeof(float));
  integrate<<<(n_samples + 255) / 256, 256>>>(y_samples, result, b - a, n_samples);
}
