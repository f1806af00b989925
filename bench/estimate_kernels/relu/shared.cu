// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Through shared memory, without conflicts.
__device__ float f(float x) { return x > 0.0f ? x : 0.0f; }

__global__ void apply(const float* in, float* out, long long n) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[256];
  tile[255 - threadIdx.x] = t < n ? in[t] : 0.0f;
  __syncthreads();
  if (t < n) out[t] = f(tile[255 - threadIdx.x]);
}

static void start(const float* in, float* out, long long n) {
  apply<<<(unsigned)((n + 255) / 256), 256>>>(in, out, n);
}

extern "C" void solve(const float* input, float* output, int N) { start(input, output, N); }
