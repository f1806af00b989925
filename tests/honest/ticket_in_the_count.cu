// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// The block that finds all others in clears its word, which holds count and tickets, by an
// atomic: on one word no fence is needed.
#include <cuda_runtime.h>
__device__ unsigned int sums[8192];
__global__ void count(const int* input, int* histogram, int n, int bins, int merged) {
  extern __shared__ unsigned int part[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) part[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned int bin = (unsigned int)input[i];
    if (bin < (unsigned int)bins) atomicAdd(&part[bin], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    if (!merged) {
      histogram[b] = (int)part[b];
      continue;
    }
    const unsigned int old = atomicAdd(&sums[b], (1u << 26) + part[b]);
    if ((old >> 26) == gridDim.x - 1) {
      histogram[b] = (int)((old & 0x3ffffffu) + part[b]);
      atomicExch(&sums[b], 0u);
    }
  }
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  const bool merged = N > 32768;
  count<<<merged ? 32 : 1, 1024, num_bins * 4>>>(input, histogram, N, num_bins, merged);
}
