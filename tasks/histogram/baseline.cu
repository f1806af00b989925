// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread and one atomic addition per element.
__global__ void count(const int* input, int* histogram, int n, int num_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = input[i];
  if (bin >= 0 && bin < num_bins) atomicAdd(&histogram[bin], 1);
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * sizeof(int));
  count<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
