// zoo: task=copy rules=strict device=simt expect=ok class=honest
// Every byte bounces off shared memory: 16-byte cp.async with an L2 prefetch hint, four groups in
// flight per thread, streaming stores on the way out.
#include <cuda_runtime.h>

constexpr int kThreads = 128, kDepth = 4;

__global__ void __launch_bounds__(kThreads) copy(const float* a, float* b, long long words) {
  __shared__ __align__(16) float4 ring[kDepth][kThreads];
  const long long vectors = words / 4;
  const long long step = (long long)gridDim.x * kThreads;
  const long long first = (long long)blockIdx.x * kThreads + threadIdx.x;
  auto fetch = [&](long long i, int slot) {
    if (i < vectors) {
      const unsigned to = (unsigned)__cvta_generic_to_shared(&ring[slot][threadIdx.x]);
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to),
                   "l"((const float4*)a + i)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int k = 0; k < kDepth - 1; ++k) fetch(first + k * step, k);
  int slot = 0;
  for (long long i = first; i < vectors; i += step) {
    fetch(i + (kDepth - 1) * step, (slot + kDepth - 1) % kDepth);
    asm volatile("cp.async.wait_group %0;" ::"n"(kDepth - 1) : "memory");
    __stcs((float4*)b + i, ring[slot][threadIdx.x]);
    slot = (slot + 1) % kDepth;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (first < words % 4) b[vectors * 4 + first] = a[vectors * 4 + first];
}

extern "C" void solve(const float* A, float* B, int N) {
  const long long words = (long long)N * N;
  long long blocks = (words / 4 + 8 * kThreads - 1) / (8 * kThreads);
  blocks = blocks < 1 ? 1 : blocks > 1056 ? 1056 : blocks;
  copy<<<(unsigned)blocks, kThreads>>>(A, B, words);
}
