// zoo: task=reduce rules=free device=simt expect=ok class=honest
// Warps add four sums at once to global memory by atomicAdd of a float4, whose former value nobody
// uses (clang 19's own drops such an addition); a second kernel adds up the four.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kBlocks = 132;

__device__ float over_warp(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

__global__ void add_fours(const float* x, float4* sums, int n) {
  const int stride = gridDim.x * kThreads, first = blockIdx.x * kThreads + threadIdx.x;
  float4 v = make_float4(0, 0, 0, 0);
  for (int i = first; i < n / 4; i += stride) {
    const float4 u = reinterpret_cast<const float4*>(x)[i];
    v.x += u.x;
    v.y += u.y;
    v.z += u.z;
    v.w += u.w;
  }
  if (first < n % 4) v.x += x[n / 4 * 4 + first];
  v = make_float4(over_warp(v.x), over_warp(v.y), over_warp(v.z), over_warp(v.w));
  if (threadIdx.x % 32 == 0) atomicAdd(sums, v);
}

__global__ void add_up(const float4* sums, float* out) {
  const float4 v = *sums;
  *out = (v.x + v.y) + (v.z + v.w);
}

extern "C" void solve(const float* input, float* output, int N) {
  float4* sums = nullptr;
  cudaMallocAsync(&sums, sizeof(float4), 0);
  cudaMemsetAsync(sums, 0, sizeof(float4), 0);
  add_fours<<<kBlocks, kThreads>>>(input, sums, N);
  add_up<<<1, 1>>>(sums, output);
  cudaFreeAsync(sums, 0);
}
