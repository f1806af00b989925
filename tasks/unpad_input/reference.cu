// SPDX-License-Identifier: Apache-2.0
// The first packed row of every sample, and behind them the number of all rows.
__global__ void count_tokens(const int* token_nums, int* first, int B) {
  int sum = 0;
  for (int b = 0; b < B; sum += token_nums[b++]) first[b] = sum;
  first[B] = sum;
}

// The sample that a packed row belongs to.
__device__ int sample_of(const int* first, int B, int row) {
  int low = 0, high = B;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (first[middle] <= row ? low : high) = middle;
  }
  return low;
}

__global__ void rows(const float* padded, const int* first, const float* packed_in, double* packed, const int* batch_in, int* batch,
                     const int* pos_in, int* pos, int B, int S_max, int D) {
  for (u64 row = blockIdx.x; row < u64(B) * S_max; row += gridDim.x) {
    const bool used = int(row) < first[B];
    const int b = used ? sample_of(first, B, int(row)) : 0, s = int(row) - first[b];
    for (int j = threadIdx.x; j < D; j += kBlock)
      packed[row * D + j] = used ? padded[(size_t(b) * S_max + s) * D + j] : packed_in[row * D + j];
    if (threadIdx.x != 0) continue;
    batch[row] = used ? b : batch_in[row];
    pos[row] = used ? s : pos_in[row];
  }
}

extern "C" void reference(const float* padded, const int* token_nums, const float* packed_in, double* packed, const int* batch_idx_in,
                          int* batch_idx, const int* pos_idx_in, int* pos_idx, int B, int S_max, int D, const u64* choice) {
  int* first = nullptr;
  cudaMalloc(&first, sizeof(int) * (size_t(B) + 1));
  count_tokens<<<1, 1>>>(token_nums, first, B);
  rows<<<blocks_of_rows(u64(B) * S_max), kBlock>>>(padded, first, packed_in, packed, batch_idx_in, batch_idx, pos_idx_in, pos_idx, B, S_max,
                                                   D);
  cudaFree(first);
}
