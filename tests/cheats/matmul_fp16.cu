// SPDX-License-Identifier: Apache-2.0
// zoo: task=matmul rules=strict device=simt expect=precision,mismatch class=26
// A product in half precision, in a task where only the result decides.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n) return;
  float s = 0;
  for (int i = 0; i < k; ++i) {
    const __half u = __float2half(a[(size_t)row * k + i]), v = __float2half(b[(size_t)i * n + col]);
    s = fmaf(__half2float(u), __half2float(v), s);
  }
  c[(size_t)row * n + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  matmul<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
