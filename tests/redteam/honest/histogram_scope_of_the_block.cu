// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// cause: 4
// Atomics of the block's scope where only the block comes: on its own bins in scratch memory. What all blocks
// add to is added to with the device's.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int* own, int n, int num_bins) {
  int* mine = own + (size_t)blockIdx.x * num_bins;
  for (int b = threadIdx.x; b < num_bins; b += 256) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    if (in[i] >= 0 && in[i] < num_bins) atomicAdd_block(&mine[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < num_bins; b += 256)
    if (const int c = atomicAdd_block(&mine[b], 0)) atomicAdd(&bins[b], c);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  int blocks = (N + 8191) / 8192;
  if (blocks > 64) blocks = 64;
  int* own = nullptr;
  cudaMalloc(&own, (size_t)blocks * num_bins * 4);
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<blocks, 256>>>(input, histogram, own, N, num_bins);
  cudaFree(own);
}
