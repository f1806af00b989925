// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Eight blocks for the whole array.
__device__ float f(float x) { return x; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = t; i < n; i += step) out[i] = f(in[i]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<8, 256>>>(in, out, n);
}

extern "C" void solve(const float* A, float* B, int N) { start(A, B, (long long)N * N); }
