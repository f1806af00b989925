// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Tiles of 32 x 32, that of B turned: bank conflicts.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[32][32], tb[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  float sum = 0.0f;
  for (int at = 0; at < k; at += 32) {
    ta[ty][tx] = row < m && at + tx < k ? a[(size_t)row * k + at + tx] : 0.0f;
    tb[tx][ty] = at + ty < k && col < n ? b[(size_t)(at + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += ta[ty][i] * tb[tx][i];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)>>>(A, B, C, M, N, K);
}
