// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Four outputs below each other per thread, taps in shared memory.
__global__ void convolve(const float* in, const float* taps, float* out, int cols, int kr, int kc, int out_rows, int out_cols) {
  __shared__ float t[31 * 31];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < kr * kc; i += 128) t[i] = taps[i];
  __syncthreads();
  const int col = blockIdx.x * 32 + threadIdx.x, row = 4 * (blockIdx.y * 4 + threadIdx.y);
  if (row >= out_rows || col >= out_cols) return;
  float sum[4] = {};
  for (int y = 0; y < kr + 3 && row + y < out_rows + kr - 1; ++y)
    for (int j = 0; j < kc; ++j) {
      const float v = in[(size_t)(row + y) * cols + col + j];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (y - k >= 0 && y - k < kr) sum[k] += v * t[(y - k) * kc + j];
    }
  for (int k = 0; k < 4; ++k)
    if (row + k < out_rows) out[(size_t)(row + k) * out_cols + col] = sum[k];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows, int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1, out_cols = input_cols - kernel_cols + 1;
  convolve<<<dim3((out_cols + 31) / 32, (out_rows + 15) / 16), dim3(32, 4)>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, out_rows, out_cols);
}
