// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Tiles of 16 x 16: half of a sector line each way.
__global__ void transpose(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[16][16 + 1];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int k = 0; k < 16; k += 16)
    if (x < cols && y + k < rows) tile[threadIdx.y + k][threadIdx.x] = input[(size_t)(y + k) * cols + x];
  __syncthreads();
  const int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
  for (int k = 0; k < 16; k += 16)
    if (tx < rows && ty + k < cols) output[(size_t)(ty + k) * rows + tx] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(input, output, rows, cols);
}
