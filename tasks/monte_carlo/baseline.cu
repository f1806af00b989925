// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A tree in shared memory per block, then one atomic addition per block.
__global__ void integrate(const float* samples, float* result, float width, int n) {
  __shared__ float partial[256];
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += samples[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, partial[0] * width / n);
}

extern "C" void solve(const float* y_samples, float* result, float a, float b, int n_samples) {
  const int blocks = (n_samples + 255) / 256;
  cudaMemsetAsync(result, 0, sizeof(float));
  integrate<<<blocks < 512 ? blocks : 512, 256>>>(y_samples, result, b - a, n_samples);
}
