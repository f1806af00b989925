// zoo: task=histogram rules=strict device=simt expect=ok class=honest size=2^18
// cause: 5
// Needs scratch memory that grows with the input, and takes no more than that.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int* local, int n, int num_bins, bool join, int groups) {
  if (join) {
    const int b = blockIdx.x * 256 + threadIdx.x;
    if (b >= num_bins) return;
    int sum = 0;
    for (int g = 0; g < groups; ++g) sum += local[(size_t)g * num_bins + b];
    bins[b] = sum;
    return;
  }
  const int first = blockIdx.x * 16384, last = min(first + 16384, n);
  for (int i = first + threadIdx.x; i < last; i += 256)
    if (in[i] >= 0 && in[i] < num_bins) atomicAdd(&local[(size_t)blockIdx.x * num_bins + in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  const int groups = (N + 16383) / 16384;
  int* local = nullptr;
  cudaMalloc(&local, (size_t)groups * num_bins * 4);
  cudaMemsetAsync(local, 0, (size_t)groups * num_bins * 4);
  count<<<groups, 256>>>(input, histogram, local, N, num_bins, false, groups);
  count<<<(num_bins + 255) / 256, 256>>>(input, histogram, local, N, num_bins, true, groups);
  cudaFree(local);
}
