// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Blocks of 1024 threads.
__device__ float f(float x) { return x > 0.0f ? x : 0.0f; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = f(in[t]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 1023) / 1024), 1024>>>(in, out, n);
}

extern "C" void solve(const float* input, float* output, int N) { start(input, output, N); }
