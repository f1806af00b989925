// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// cause: 3
// The bins are cleared on a stream of their own, and the count waits for that.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int num_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= 0 && in[i] < num_bins) atomicAdd(&bins[in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaStream_t clears = nullptr, counts = nullptr;
  cudaEvent_t clear = nullptr;
  cudaStreamCreateWithFlags(&clears, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&counts, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&clear, cudaEventDisableTiming);
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4, clears);
  cudaEventRecord(clear, clears);
  cudaStreamWaitEvent(counts, clear, 0);
  count<<<(N + 255) / 256, 256, 0, counts>>>(input, histogram, N, num_bins);
  cudaStreamSynchronize(counts);
  cudaEventDestroy(clear);
  cudaStreamDestroy(clears);
  cudaStreamDestroy(counts);
}
