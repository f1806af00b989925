// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A tree in shared memory whose active threads lie apart.
__device__ float term(const float* a, const float* b, int i) { return a[i]; }

__global__ void sum(const float* a, const float* b, float* out, int n) {
  __shared__ float part[256];
  float own = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += term(a, b, i);
  part[threadIdx.x] = own;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * step) == 0) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0] * 1.0f);
}

static void start(const float* a, const float* b, float* out, int n) {
  cudaMemsetAsync(out, 0, sizeof(float));
  const int blocks = (n + 255) / 256;
  sum<<<blocks < 4096 ? blocks : 4096, 256>>>(a, b, out, n);
}

extern "C" void solve(const float* input, float* output, int N) { start(input, input, output, N); }
