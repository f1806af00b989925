// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per output row.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int kernel_rows, int kernel_cols,
                         int out_rows, int out_cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= out_rows) return;
  for (int col = 0; col < out_cols; ++col) {
    float sum = 0.0f;
    for (int i = 0; i < kernel_rows; ++i) {
      for (int j = 0; j < kernel_cols; ++j) {
        sum += input[(size_t)(row + i) * input_cols + col + j] * kernel[i * kernel_cols + j];
      }
    }
    output[(size_t)row * out_cols + col] = sum;
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows, int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1;
  const int out_cols = input_cols - kernel_cols + 1;
  convolve<<<(out_rows + 63) / 64, 64>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, out_rows, out_cols);
}
