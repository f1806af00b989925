// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Four neighbours per thread in one access.
__device__ float f(float x) { return x; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * t + 3 < n) {
    float4 v = ((const float4*)in)[t];
    v.x = f(v.x), v.y = f(v.y), v.z = f(v.z), v.w = f(v.w);
    ((float4*)out)[t] = v;
    return;
  }
  for (long long i = 4 * t; i < n; ++i) out[i] = f(in[i]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 1023) / 1024), 256>>>(in, out, n);
}

extern "C" void solve(const float* A, float* B, int N) { start(A, B, (long long)N * N); }
