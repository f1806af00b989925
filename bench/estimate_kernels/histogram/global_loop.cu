// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Atomics in global memory from one wave of threads.
__global__ void count(const int* input, int* histogram, int n, int bins) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    const int b = input[i];
    if (b >= 0 && b < bins) atomicAdd(&histogram[b], 1);
  }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemsetAsync(histogram, 0, (size_t)num_bins * sizeof(int));
  count<<<132 * 8, 256>>>(input, histogram, N, num_bins);
}
