// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Eight loads of a thread are under way at once.
__device__ float f(float x) { return x; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long step = (long long)gridDim.x * blockDim.x;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = t + k * step < n ? in[t + k * step] : 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (t + k * step < n) out[t + k * step] = f(v[k]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 2047) / 2048), 256>>>(in, out, n);
}

extern "C" void solve(const float* A, float* B, int N) { start(A, B, (long long)N * N); }
