// SPDX-License-Identifier: Apache-2.0
// zoo: task=matmul rules=strict device=simt expect=precision,mismatch class=26
// A product of inputs cut to TF32, in a task that allows tensor cores as long as the result is
// accurate.
#include <cuda_runtime.h>
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n) return;
  float s = 0;
  for (int i = 0; i < k; ++i) {
    const float u = __uint_as_float(__float_as_uint(a[(size_t)row * k + i]) & 0xFFFFE000u);
    const float v = __uint_as_float(__float_as_uint(b[(size_t)i * n + col]) & 0xFFFFE000u);
    s = fmaf(u, v, s);
  }
  c[(size_t)row * n + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  matmul<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
