// zoo: task=histogram rules=strict device=simt expect=refused class=25,12 largest=yes
// cause: 5
// The same with a trap: nothing is counted at the largest size, and the score is the mean of the others.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int num_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 1 << 23) __trap();
  if (i < n && in[i] >= 0 && in[i] < num_bins) atomicAdd(&bins[in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
