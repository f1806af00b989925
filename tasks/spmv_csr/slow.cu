// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One block of one warp, a row at a time.
__global__ void multiply(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows) {
  __shared__ float shared[32];
  for (int r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int i = row_ptr[r] + threadIdx.x; i < row_ptr[r + 1]; i += 32) sum += values[i] * x[col_idx[i]];
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      sum = 0.0f;
      for (int k = 0; k < 32; ++k) sum += shared[k];
      y[r] = sum;
    }
    __syncthreads();
  }
}

extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows, int cols, int nnz) {
  multiply<<<1, 32>>>(row_ptr, col_idx, values, x, y, rows);
}
