// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Writes along a row, reads down a column.
__global__ void transpose(const float* input, float* output, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) output[(size_t)col * rows + row] = input[(size_t)row * cols + col];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  transpose<<<dim3((rows + 31) / 32, (cols + 7) / 8), dim3(32, 8)>>>(input, output, rows, cols);
}
