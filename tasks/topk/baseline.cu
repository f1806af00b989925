// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int kThreads = 1024;

// One block: copies the input, then finds and removes the largest element k times.
__global__ void top_k(const float* input, float* output, float* rest, int n, int k) {
  __shared__ float values[kThreads];
  __shared__ int places[kThreads];
  for (int i = threadIdx.x; i < n; i += kThreads) rest[i] = input[i];
  for (int round = 0; round < k; ++round) {
    float best = -INFINITY;
    int place = -1;
    for (int i = threadIdx.x; i < n; i += kThreads) {
      if (rest[i] > best) {
        best = rest[i];
        place = i;
      }
    }
    values[threadIdx.x] = best;
    places[threadIdx.x] = place;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
      if (threadIdx.x < stride && values[threadIdx.x + stride] > values[threadIdx.x]) {
        values[threadIdx.x] = values[threadIdx.x + stride];
        places[threadIdx.x] = places[threadIdx.x + stride];
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) output[round] = values[0];
    // Each thread removes only what it will look at itself; when nothing but -infinity is left, so be it.
    if (places[0] >= 0 && places[0] % kThreads == threadIdx.x) rest[places[0]] = -INFINITY;
    __syncthreads();
  }
}

extern "C" void solve(const float* input, float* output, int N, int k) {
  float* rest = nullptr;
  cudaMalloc((void**)&rest, (size_t)N * sizeof(float));
  top_k<<<1, kThreads>>>(input, output, rest, N, k);
  cudaFree(rest);
}
