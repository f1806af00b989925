// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Eight independent loads per turn.
__device__ float term(const float* a, const float* b, int i) { return a[i] * b[i]; }

__device__ float warp_sum(float x) {
  for (int k = 16; k > 0; k /= 2) x += __shfl_down_sync(0xffffffffu, x, k);
  return x;
}

__device__ float block_sum(float x) {
  __shared__ float part[32];
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
  return threadIdx.x < 32 ? warp_sum(x) : 0.0f;
}

__global__ void sum(const float* a, const float* b, float* out, int n) {
  const int step = gridDim.x * blockDim.x;
  float own[8] = {};
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8LL * step) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (i + (long long)k * step < n) own[k] += term(a, b, (int)(i + (long long)k * step));
  }
  const float all = block_sum(((own[0] + own[1]) + (own[2] + own[3])) + ((own[4] + own[5]) + (own[6] + own[7])));
  if (threadIdx.x == 0) atomicAdd(out, all * 1.0f);
}

static void start(const float* a, const float* b, float* out, int n) {
  cudaMemsetAsync(out, 0, sizeof(float));
  const int blocks = (n + 255) / 256;
  sum<<<blocks < 132 * 8 ? blocks : 132 * 8, 256>>>(a, b, out, n);
}

extern "C" void solve(const float* A, const float* B, float* result, int N) { start(A, B, result, N); }
