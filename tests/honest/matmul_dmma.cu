// zoo: task=matmul rules=strict device=simt expect=ok class=honest
// Double-precision tensor cores: floats are widened, multiplied by m8n8k4 instructions without any
// rounding to speak of, and rounded once at the end.
#include <cuda_runtime.h>

constexpr int kTile = 32, kK = 16;

__global__ void __launch_bounds__(128)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kK + 1], b[kK][kTile + 1];
  const int m0 = blockIdx.y * kTile, n0 = blockIdx.x * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, quad = lane % 4;
  double c[4][2] = {};
  for (int k0 = 0; k0 < K; k0 += kK) {
    for (int i = threadIdx.x; i < kTile * kK; i += 128) {
      const int r = i / kK, k = i % kK, kb = i / kTile, n = i % kTile;
      a[r][k] = m0 + r < M && k0 + k < K ? A[(size_t)(m0 + r) * K + k0 + k] : 0.0f;
      b[kb][n] = n0 + n < N && k0 + kb < K ? B[(size_t)(k0 + kb) * N + n0 + n] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < kK; k += 4) {
      const double x = a[warp * 8 + group][k + quad];
      for (int t = 0; t < 4; ++t) {
        const double y = b[k + quad][t * 8 + group];
        asm volatile(
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[t][0]), "+d"(c[t][1])
            : "d"(x), "d"(y));
      }
    }
    __syncthreads();
  }
  for (int t = 0; t < 4; ++t) {
    for (int e = 0; e < 2; ++e) {
      const int r = m0 + warp * 8 + group, n = n0 + t * 8 + quad * 2 + e;
      if (r < M && n < N) C[(size_t)r * N + n] = (float)c[t][e];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + kTile - 1) / kTile, (M + kTile - 1) / kTile), 128>>>(A, B, C, M, N, K);
}
