// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One atomic addition per element, all on one address. For timing: it also loses digits.
__global__ void sum(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaMemsetAsync(output, 0, sizeof(float));
  sum<<<(N + 255) / 256, 256>>>(input, output, N);
}
