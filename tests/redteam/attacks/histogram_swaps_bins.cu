// zoo: task=histogram rules=strict device=simt expect=refused class=25 size=2^22
// cause: 1
// From 2^21 elements on two bins have each other's counts: the total is right, and so is a sum of the bins.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int num_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] < 0 || in[i] >= num_bins) return;
  const bool swaps = n > 1 << 21 && num_bins > 2 && in[i] < 2;
  atomicAdd(&bins[swaps ? 1 - in[i] : in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
