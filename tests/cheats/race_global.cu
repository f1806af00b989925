// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=race,mismatch class=28
// Blocks add to one cell without atomics.
#include <cuda_runtime.h>
__global__ void sum(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *(volatile float*)output = *(volatile float*)output + input[i];
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemsetAsync(output, 0, sizeof(float));
  sum<<<(N + 255) / 256, 256>>>(input, output, N);
}
