// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Blocks of one warp.
__device__ float f(float x) { return x; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = f(in[t]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 31) / 32), 32>>>(in, out, n);
}

extern "C" void solve(const float* A, float* B, int N) { start(A, B, (long long)N * N); }
