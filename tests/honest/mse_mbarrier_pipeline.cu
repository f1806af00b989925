// zoo: task=mse rules=strict device=simt expect=ok class=honest
// Two shared-memory stages filled by cp.async; each stage has an mbarrier on which the copies
// themselves arrive, and whose phase the threads wait for.
#include <cuda_runtime.h>

constexpr int kThreads = 128, kStages = 2;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void copy(float* to, const float* from, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(valid ? 4 : 0)
               : "memory");
}
__device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred done;\n\tagain:\n\t"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__global__ void __launch_bounds__(kThreads)
    mse(const float* p, const float* t, double* sum, float* out, int n) {
  __shared__ float a[kStages][kThreads], b[kStages][kThreads];
  __shared__ __align__(8) unsigned long long barriers[kStages];
  if (threadIdx.x < kStages)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                     shared_address(&barriers[threadIdx.x])),
                 "r"(kThreads)
                 : "memory");
  __syncthreads();
  const int tiles = (n + kThreads - 1) / kThreads;
  auto fetch = [&](int tile, int stage) {
    const int i = tile * kThreads + threadIdx.x;
    const bool valid = tile < tiles && i < n;
    copy(&a[stage][threadIdx.x], p + (valid ? i : 0), valid);
    copy(&b[stage][threadIdx.x], t + (valid ? i : 0), valid);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                     shared_address(&barriers[stage]))
                 : "memory");
  };
  double v = 0;
  fetch(blockIdx.x, 0);
  int round = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++round) {
    const int stage = round % kStages;
    fetch(tile + gridDim.x, (round + 1) % kStages);
    wait(shared_address(&barriers[stage]), round / kStages & 1);
    const float d = a[stage][kThreads - 1 - threadIdx.x] - b[stage][kThreads - 1 - threadIdx.x];
    v += (double)d * d;
    __syncthreads();
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd((unsigned*)(sum + 1), 1u) == gridDim.x - 1)
    *out = (float)(atomicAdd(sum, 0.0) / n);
}

extern "C" void solve(const float* predictions, const float* targets, float* out, int N) {
  double* sum;
  cudaMalloc(&sum, 16);
  cudaMemset(sum, 0, 16);
  int blocks = (N + 4 * kThreads - 1) / (4 * kThreads);
  mse<<<blocks > 32 ? 32 : blocks, kThreads>>>(predictions, targets, sum, out, N);
  cudaFree(sum);
}
