// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread, one element after the other. For timing: one long float sum also loses digits.
__global__ void scan(const float* input, float* output, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += input[i];
    output[i] = sum;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  scan<<<1, 1>>>(input, output, N);
}
