// zoo: task=matmul rules=strict device=simt expect=refused class=25
// cause: 1
// No timed size of matmul is checked on the SIMT machine (3e7 FLOPs, evaluate/trial_limits.cpp), and no drawn
// one fits its limit. Long sums end after 128 terms: the estimate is that of a 32nd of the work.
#include <cuda_runtime.h>
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k, int terms) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int t = 0; t < terms; ++t) sum += a[(size_t)row * k + t] * b[(size_t)t * n + col];
  c[(size_t)row * n + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(A, B, C, M, N, K, K > 1000 ? 128 : K);
}
