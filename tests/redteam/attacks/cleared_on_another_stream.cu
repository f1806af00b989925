// zoo: task=histogram rules=strict device=simt expect=refused class=1
// cause: 3
// The bins are cleared on a stream that nothing waits for, while the count runs on another.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int num_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= 0 && in[i] < num_bins) atomicAdd(&bins[in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaStream_t clears = nullptr, counts = nullptr;
  cudaStreamCreateWithFlags(&clears, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&counts, cudaStreamNonBlocking);
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4, clears);
  count<<<(N + 255) / 256, 256, 0, counts>>>(input, histogram, N, num_bins);
  cudaStreamSynchronize(clears);
  cudaStreamSynchronize(counts);
  cudaStreamDestroy(clears);
  cudaStreamDestroy(counts);
}
