// zoo: task=copy rules=strict device=simt expect=ok class=honest
// Grid-stride copy of int4 with evict-first loads and stores, unrolled four times; the head and
// tail that vectors do not cover go word by word.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void __launch_bounds__(256, 4)
    copy(const int* __restrict__ a, int* __restrict__ b, int64_t n) {
  const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  const int4* from = reinterpret_cast<const int4*>(a);
  int4* to = reinterpret_cast<int4*>(b);
  const int64_t vectors = n >> 2;
  int64_t i = thread;
  for (; i + 3 * threads < vectors; i += 4 * threads) {
    int4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = __ldcs(from + i + k * threads);
#pragma unroll
    for (int k = 0; k < 4; ++k) __stcs(to + i + k * threads, v[k]);
  }
  for (; i < vectors; i += threads) __stcs(to + i, __ldcs(from + i));
  for (int64_t k = (vectors << 2) + thread; k < n; k += threads) b[k] = a[k];
}

extern "C" void solve(const float* A, float* B, int N) {
  const int64_t n = (int64_t)N * N;
  int64_t blocks = (n / 4 + 1023) / 1024;
  if (blocks < 1) blocks = 1;
  if (blocks > 528) blocks = 528;
  copy<<<(unsigned)blocks, 256>>>((const int*)A, (int*)B, n);
}
