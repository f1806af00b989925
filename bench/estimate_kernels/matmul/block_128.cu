// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// 128 x 128 per block, 8 x 8 per thread.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[8][128], tb[8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int at = 0; at < k; at += 8) {
    for (int e = t; e < 1024; e += 256) {
      const int r = e / 8, i = e % 8;
      ta[i][r] = row0 + r < m && at + i < k ? a[(size_t)(row0 + r) * k + at + i] : 0.0f;
    }
    for (int e = t; e < 1024; e += 256) {
      const int i = e / 128, x = e % 128;
      tb[i][x] = at + i < k && col0 + x < n ? b[(size_t)(at + i) * n + col0 + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int x = 0; x < 8; ++x) sum[r][x] += ta[i][ty * 8 + r] * tb[i][tx + x * 16];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int x = 0; x < 8; ++x) {
      const int row = row0 + ty * 8 + r, col = col0 + tx + x * 16;
      if (row < m && col < n) c[(size_t)row * n + col] = sum[r][x];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + 127) / 128, (M + 127) / 128), 256>>>(A, B, C, M, N, K);
}
