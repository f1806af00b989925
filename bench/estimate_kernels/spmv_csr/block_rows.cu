// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A block of 64 threads per row.
__global__ void multiply(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows) {
  __shared__ float part[64];
  const int r = blockIdx.x;
  float sum = 0.0f;
  for (int i = row_ptr[r] + threadIdx.x; i < row_ptr[r + 1]; i += 64) sum += values[i] * x[col_idx[i]];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[r] = part[0];
}

extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows, int cols, int nnz) {
  multiply<<<rows, 64>>>(row_ptr, col_idx, values, x, y, rows);
}
