// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Four by four per thread.
__global__ void transpose(const float* input, float* output, int rows, int cols) {
  const int x = 4 * (blockIdx.x * 16 + threadIdx.x), y = 4 * (blockIdx.y * 16 + threadIdx.y);
  float v[4][4];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) v[r][c] = y + r < rows && x + c < cols ? input[(size_t)(y + r) * cols + x + c] : 0.0f;
  for (int c = 0; c < 4; ++c)
    for (int r = 0; r < 4; ++r)
      if (y + r < rows && x + c < cols) output[(size_t)(x + c) * rows + y + r] = v[r][c];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  transpose<<<dim3((cols + 63) / 64, (rows + 63) / 64), dim3(16, 16)>>>(input, output, rows, cols);
}
