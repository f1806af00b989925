// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void relu(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = input[i] > 0.0f ? input[i] : 0.0f;
}

extern "C" void solve(const float* input, float* output, int N) {
  relu<<<(N + 255) / 256, 256>>>(input, output, N);
}
