// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// 32 lanes per row.
__global__ void multiply(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  if (r < rows)
    for (int i = row_ptr[r] + lane; i < row_ptr[r + 1]; i += 32) sum += values[i] * x[col_idx[i]];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (r < rows && lane == 0) y[r] = sum;
}

extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows, int cols, int nnz) {
  multiply<<<(unsigned)(((long long)rows * 32 + 255) / 256), 256>>>(row_ptr, col_idx, values, x, y, rows);
}
