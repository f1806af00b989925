// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// Double partial sums by warp shuffles; the block that finishes last, found by an atomic ticket
// behind a fence, adds them up and winds the ticket back.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kMostBlocks = 64;
__device__ double partial[kMostBlocks];
__device__ unsigned ticket = 0;

__device__ double block_sum(double v) {
  __shared__ double warps[kThreads / 32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < kThreads / 32 ? warps[threadIdx.x] : 0.0;
  for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void __launch_bounds__(kThreads) sum(const float* __restrict__ x, float* out, int n) {
  double v = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) v += x[i];
  v = block_sum(v);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  const volatile double* p = partial;
  v = threadIdx.x < gridDim.x ? p[threadIdx.x] : 0.0;
  v = block_sum(v);
  if (threadIdx.x == 0) *out = (float)v;
}

extern "C" void solve(const float* input, float* output, int N) {
  int blocks = (N + 4 * kThreads - 1) / (4 * kThreads);
  if (blocks > kMostBlocks) blocks = kMostBlocks;
  sum<<<blocks, kThreads>>>(input, output, N);
}
