// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Tiles of 16 x 16 in shared memory.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[16][16], tb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int at = 0; at < k; at += 16) {
    ta[ty][tx] = row < m && at + tx < k ? a[(size_t)row * k + at + tx] : 0.0f;
    tb[ty][tx] = at + ty < k && col < n ? b[(size_t)(at + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ta[ty][i] * tb[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
