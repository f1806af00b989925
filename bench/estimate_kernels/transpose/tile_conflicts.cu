// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// A tile in shared memory, read down its columns: 32-way bank conflicts.
__global__ void transpose(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < cols && y + k < rows) tile[threadIdx.y + k][threadIdx.x] = input[(size_t)(y + k) * cols + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (tx < rows && ty + k < cols) output[(size_t)(ty + k) * rows + tx] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(input, output, rows, cols);
}
