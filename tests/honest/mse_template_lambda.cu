// zoo: task=mse rules=strict device=simt expect=ok class=honest
// A generic transform-reduce: the kernel is a template over a device lambda and an unrolling
// factor chosen on the host by size.
#include <cuda_runtime.h>

__device__ double total;
__device__ unsigned finished;

template <int kUnroll, class F>
__global__ void transform_reduce(F f, float* out, int n) {
  double sums[kUnroll] = {};
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += kUnroll * step) {
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      if (i + k * step < n) sums[k] += f(i + k * step);
  }
  double v = 0;
  for (int k = 0; k < kUnroll; ++k) v += sums[k];
  __shared__ double warp_sums[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) v += warp_sums[w];
  atomicAdd(&total, v);
  __threadfence();
  if (atomicAdd(&finished, 1u) + 1 < gridDim.x) return;
  *out = (float)(atomicAdd(&total, 0.0) / n);
  total = 0;
  finished = 0;
}

template <int kUnroll>
void launch(const float* p, const float* t, float* out, int n, int blocks) {
  auto square = [=] __device__(int i) {
    const double d = (double)p[i] - t[i];
    return d * d;
  };
  transform_reduce<kUnroll><<<blocks, 256>>>(square, out, n);
}

extern "C" void solve(const float* predictions, const float* targets, float* mse, int N) {
  if (N < 4096) {
    launch<1>(predictions, targets, mse, N, 1);
  } else {
    launch<4>(predictions, targets, mse, N, 16);
  }
}
