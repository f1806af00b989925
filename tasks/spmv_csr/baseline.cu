// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per row.
__global__ void multiply(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int i = row_ptr[r]; i < row_ptr[r + 1]; ++i) sum += values[i] * x[col_idx[i]];
  y[r] = sum;
}

extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows, int cols, int nnz) {
  multiply<<<(rows + 255) / 256, 256>>>(row_ptr, col_idx, values, x, y, rows);
}
