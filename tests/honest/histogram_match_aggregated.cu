// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// Lanes with the same bin find each other by __match_any_sync; one of them adds for all, to
// shared memory when the bins fit there, else straight to global memory.
#include <cuda_runtime.h>

constexpr int kSharedBins = 4096;

__global__ void count(const int* __restrict__ in, int* __restrict__ bins, int n, int num_bins) {
  __shared__ int local[kSharedBins];
  const bool fits = num_bins <= kSharedBins;
  if (fits) {
    for (int i = threadIdx.x; i < num_bins; i += blockDim.x) local[i] = 0;
  }
  __syncthreads();
  int* target = fits ? local : bins;
  const int step = gridDim.x * blockDim.x;
  for (int base = blockIdx.x * blockDim.x; base < n; base += step) {
    const int i = base + threadIdx.x;
    const int v = i < n ? in[i] : -1;
    const bool counts = v >= 0 && v < num_bins;
    const unsigned same = __match_any_sync(0xffffffffu, counts ? v : -1);
    if (counts && __ffs(same) - 1 == (threadIdx.x & 31)) atomicAdd(&target[v], __popc(same));
  }
  __syncthreads();
  if (!fits) return;
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x)
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemsetAsync(histogram, 0, num_bins * sizeof(int), 0);
  int blocks = (N + 2047) / 2048;
  count<<<blocks > 64 ? 64 : blocks, 256>>>(input, histogram, N, num_bins);
}
