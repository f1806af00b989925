// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=mismatch,race class=28
// Believes that shared memory starts as zero.
#include <cuda_runtime.h>
__global__ void sum(const float* input, float* output, int n) {
  __shared__ float total;
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&total, input[i]);
  __syncthreads();
  if (threadIdx.x == 0) output[0] = total;
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 256>>>(input, output, N);
}
