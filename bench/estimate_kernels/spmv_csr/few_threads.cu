// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A thread per row in one small wave.
__global__ void multiply(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int i = row_ptr[r]; i < row_ptr[r + 1]; ++i) sum += values[i] * x[col_idx[i]];
    y[r] = sum;
  }
}

extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows, int cols, int nnz) {
  multiply<<<132, 64>>>(row_ptr, col_idx, values, x, y, rows);
}
