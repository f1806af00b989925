// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// 64 x 64 per block, 4 x 4 per thread.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[16][64], tb[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int at = 0; at < k; at += 16) {
    for (int e = t; e < 1024; e += 256) {
      const int r = e / 16, i = e % 16;
      ta[i][r] = row0 + r < m && at + i < k ? a[(size_t)(row0 + r) * k + at + i] : 0.0f;
    }
    for (int e = t; e < 1024; e += 256) {
      const int i = e / 64, x = e % 64;
      tb[i][x] = at + i < k && col0 + x < n ? b[(size_t)(at + i) * n + col0 + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[r][x] += ta[i][ty * 4 + r] * tb[i][tx + x * 16];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const int row = row0 + ty * 4 + r, col = col0 + tx + x * 16;
      if (row < m && col < n) c[(size_t)row * n + col] = sum[r][x];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + 63) / 64, (M + 63) / 64), 256>>>(A, B, C, M, N, K);
}
