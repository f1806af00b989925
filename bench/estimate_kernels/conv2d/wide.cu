// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A warp along a row of outputs.
__global__ void convolve(const float* in, const float* taps, float* out, int cols, int kr, int kc, int out_rows, int out_cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int i = 0; i < kr; ++i)
    for (int j = 0; j < kc; ++j) sum += in[(size_t)(row + i) * cols + col + j] * taps[i * kc + j];
  out[(size_t)row * out_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows, int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1, out_cols = input_cols - kernel_cols + 1;
  convolve<<<dim3((out_cols + 31) / 32, (out_rows + 7) / 8), dim3(32, 8)>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, out_rows, out_cols);
}
