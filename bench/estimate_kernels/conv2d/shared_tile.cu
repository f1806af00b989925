// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Taps and a tile of the input in shared memory.
__global__ void convolve(const float* in, const float* taps, float* out, int cols, int kr, int kc, int out_rows, int out_cols) {
  __shared__ float t[31 * 31], tile[46 * 63];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, own = threadIdx.y * 32 + threadIdx.x;
  const int wide = 32 + kc - 1, high = 16 + kr - 1;
  for (int i = own; i < kr * kc; i += 512) t[i] = taps[i];
  for (int i = own; i < wide * high; i += 512) {
    const int y = y0 + i / wide, x = x0 + i % wide;
    tile[i] = y < out_rows + kr - 1 && x < cols ? in[(size_t)y * cols + x] : 0.0f;
  }
  __syncthreads();
  const int col = x0 + threadIdx.x, row = y0 + threadIdx.y;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int i = 0; i < kr; ++i)
    for (int j = 0; j < kc; ++j) sum += tile[(threadIdx.y + i) * wide + threadIdx.x + j] * t[i * kc + j];
  out[(size_t)row * out_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows, int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1, out_cols = input_cols - kernel_cols + 1;
  convolve<<<dim3((out_cols + 31) / 32, (out_rows + 15) / 16), dim3(32, 16)>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, out_rows, out_cols);
}
