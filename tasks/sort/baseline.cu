// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One phase of odd-even transposition: pairs (first, first+1), (first+2, first+3), ...
__global__ void exchange(float* data, int n, int first) {
  const int i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= n) return;
  const float a = data[i];
  const float b = data[i + 1];
  if (a > b) {
    data[i] = b;
    data[i + 1] = a;
  }
}

extern "C" void solve(float* data, int N) {
  const int blocks = (N / 2 + 255) / 256 + 1;
  for (int phase = 0; phase < N; ++phase) exchange<<<blocks, 256>>>(data, N, phase % 2);
}
