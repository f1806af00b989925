// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=precision,mismatch class=16
// Adds to an output that it believes to be zero.
#include <cuda_runtime.h>
__global__ void sum(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(output, input[i]);
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<(N + 255) / 256, 256>>>(input, output, N);
}
