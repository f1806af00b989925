// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// 32 x 32 per block, 2 x 2 per thread.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[32][32], tb[32][32];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float sum[2][2] = {};
  for (int at = 0; at < k; at += 32) {
    for (int e = t; e < 1024; e += 256) {
      const int r = e / 32, i = e % 32;
      ta[i][r] = row0 + r < m && at + i < k ? a[(size_t)(row0 + r) * k + at + i] : 0.0f;
    }
    for (int e = t; e < 1024; e += 256) {
      const int i = e / 32, x = e % 32;
      tb[i][x] = at + i < k && col0 + x < n ? b[(size_t)(at + i) * n + col0 + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int x = 0; x < 2; ++x) sum[r][x] += ta[i][ty * 2 + r] * tb[i][tx + x * 16];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int x = 0; x < 2; ++x) {
      const int row = row0 + ty * 2 + r, col = col0 + tx + x * 16;
      if (row < m && col < n) c[(size_t)row * n + col] = sum[r][x];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + 31) / 32, (M + 31) / 32), 256>>>(A, B, C, M, N, K);
}
