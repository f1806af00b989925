// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void copy(const float* a, float* b, long long count) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) b[i] = a[i];
}

extern "C" void solve(const float* A, float* B, int N) {
  const long long count = (long long)N * N;
  copy<<<(unsigned)((count + 255) / 256), 256>>>(A, B, count);
}
