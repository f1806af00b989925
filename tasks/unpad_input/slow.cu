// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per sample, everything serial.
__global__ void pack(const __half* padded, const int* token_nums, __half* packed, int* batch_idx, int* pos_idx, int batch, int s_max, int d) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  int row = 0;
  for (int i = 0; i < b; ++i) row += token_nums[i];
  for (int s = 0; s < token_nums[b]; ++s, ++row) {
    for (int j = 0; j < d; ++j) packed[(size_t)row * d + j] = padded[((size_t)b * s_max + s) * d + j];
    batch_idx[row] = b;
    pos_idx[row] = s;
  }
}

extern "C" void solve(const __half* padded, const int* token_nums, __half* packed, int* batch_idx, int* pos_idx, int B, int S_max, int D) {
  pack<<<(B + 31) / 32, 32>>>(padded, token_nums, packed, batch_idx, pos_idx, B, S_max, D);
}
