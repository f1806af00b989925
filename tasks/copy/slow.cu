// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per row: few threads, and no two neighbours share a sector.
__global__ void copy(const float* a, float* b, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  for (int col = 0; col < n; ++col) b[(size_t)row * n + col] = a[(size_t)row * n + col];
}

extern "C" void solve(const float* A, float* B, int N) {
  copy<<<(N + 31) / 32, 32>>>(A, B, N);
}
