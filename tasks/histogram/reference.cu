// SPDX-License-Identifier: Apache-2.0
// Each block counts on its own where its bins fit into shared memory.
constexpr int kMostShared = 4096;

__global__ void count_shared(const int* input, int* histogram, int N, int num_bins) {
  __shared__ int bins[kMostShared];
  for (int b = threadIdx.x; b < num_bins; b += kBlock) bins[b] = 0;
  __syncthreads();
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads())
    if (input[i] >= 0 && input[i] < num_bins) atomicAdd(&bins[input[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < num_bins; b += kBlock)
    if (bins[b] != 0) atomicAdd(&histogram[b], bins[b]);
}

__global__ void count(const int* input, int* histogram, int N, int num_bins) {
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads())
    if (input[i] >= 0 && input[i] < num_bins) atomicAdd(&histogram[input[i]], 1);
}

extern "C" void reference(const int* input, int* histogram, int N, int num_bins, const u64* choice) {
  cudaMemsetAsync(histogram, 0, sizeof(int) * size_t(num_bins));
  if (num_bins <= kMostShared)
    count_shared<<<blocks_for(N / 16), kBlock>>>(input, histogram, N, num_bins);
  else
    count<<<blocks_for(N), kBlock>>>(input, histogram, N, num_bins);
}
