// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One block of one thread per element; up to 65535 rows.
__global__ void copy(const float* a, float* b, int n) {
  const size_t at = (size_t)blockIdx.y * n + blockIdx.x;
  b[at] = a[at];
}

extern "C" void solve(const float* A, float* B, int N) {
  copy<<<dim3(N, N), 1>>>(A, B, N);
}
