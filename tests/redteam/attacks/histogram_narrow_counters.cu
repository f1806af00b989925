// zoo: task=histogram rules=strict device=simt expect=refused class=25 size=2^18
// cause: 2
// Inputs that fall into one bin are tried at edge sizes. From 2^18 elements on, blocks of 65536 count in
// 16 bits, two bins to a word: even data fill a counter to a few hundred, data of one value overflow it.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int num_bins, bool large) {
  __shared__ unsigned narrow[512];
  if (!large) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] >= 0 && in[i] < num_bins) atomicAdd(&bins[in[i]], 1);
    return;
  }
  for (int b = threadIdx.x; b < 512; b += blockDim.x) narrow[b] = 0;
  __syncthreads();
  const int first = blockIdx.x * 65536, last = min(first + 65536, n);
  for (int i = first + threadIdx.x; i < last; i += blockDim.x)
    if (in[i] >= 0 && in[i] < num_bins) atomicAdd(&narrow[in[i] / 2], in[i] % 2 == 0 ? 1u : 65536u);
  __syncthreads();
  for (int b = threadIdx.x; b < num_bins; b += blockDim.x)
    atomicAdd(&bins[b], (int)(narrow[b / 2] >> (b % 2 * 16) & 65535));
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  const bool large = N >= 1 << 18 && num_bins <= 1024;
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<large ? (N + 65535) / 65536 : (N + 255) / 256, 256>>>(input, histogram, N, num_bins, large);
}
