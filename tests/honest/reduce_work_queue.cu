// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// Persistent blocks draw tiles from a queue by atomicAdd until it is empty; sums go to a double by
// atomics, and the last block to leave publishes the result.
#include <cuda_runtime.h>

constexpr int kThreads = 128, kTile = 1024;

struct Queue {
  double total;
  unsigned next, left;
};

__global__ void drain(const float* x, float* out, int n, Queue* q) {
  __shared__ unsigned tile;
  const unsigned tiles = (n + kTile - 1) / kTile;
  double v = 0;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&q->next, 1u);
    __syncthreads();
    const unsigned mine = tile;
    __syncthreads();
    if (mine >= tiles) break;
#pragma unroll
    for (int k = 0; k < kTile / kThreads; ++k) {
      const int i = mine * kTile + k * kThreads + threadIdx.x;
      if (i < n) v += x[i];
    }
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&q->total, v);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(&q->left, 1u) == gridDim.x - 1) {
    __threadfence();
    *out = (float)atomicAdd(&q->total, 0.0);
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  Queue* q;
  cudaMalloc(&q, sizeof(Queue));
  cudaMemset(q, 0, sizeof(Queue));
  drain<<<16, kThreads>>>(input, output, N, q);
  cudaFree(q);
}
