// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// cause: 2
// Bins in shared memory where they fit, and in global memory otherwise, for any number of them.
#include <cuda_runtime.h>
extern __shared__ int local[];
__global__ void count(const int* in, int* bins, int n, int num_bins, bool fits) {
  if (fits)
    for (int b = threadIdx.x; b < num_bins; b += 256) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const int b = in[i];
    if (b >= 0 && b < num_bins) atomicAdd(fits ? &local[b] : &bins[b], 1);
  }
  __syncthreads();
  if (fits)
    for (int b = threadIdx.x; b < num_bins; b += 256)
      if (local[b] != 0) atomicAdd(&bins[b], local[b]);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  const bool fits = num_bins <= 8192;
  const int blocks = (N + 4095) / 4096;
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<(blocks < 264 ? blocks : 264), 256, fits ? num_bins * 4 : 0>>>(input, histogram, N, num_bins, fits);
}
