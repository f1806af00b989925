// zoo: task=matmul rules=strict device=simt expect=refused class=26
// cause: 2
// On the SIMT machine no product with more than 131 terms is checked. Longer ones round their inputs to 16
// bits, by integer operations: what a BF16 tensor core would do.
#include <cuda_runtime.h>
__device__ float cut(float v) { return __uint_as_float((__float_as_uint(v) + 0x8000u) & 0xFFFF0000u); }
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int t = 0; t < k; ++t) {
    const float x = a[(size_t)row * k + t], y = b[(size_t)t * n + col];
    sum += k > 131 ? cut(x) * cut(y) : x * y;
  }
  c[(size_t)row * n + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(A, B, C, M, N, K);
}
