// SPDX-License-Identifier: Apache-2.0
// Tiles of A and B in shared memory, a small tile of C in registers.
#define BM 64  // tune: BM = 16, 32, 64, 128
#define BN 64  // tune: BN = 16, 32, 64, 128
#define BK 16  // tune: BK = 8, 16, 32
#define TM 4   // tune: TM = 1, 2, 4, 8
#define TN 4   // tune: TN = 1, 2, 4, 8
// tune: require BM * BN <= 1024 * TM * TN; require BM * BN >= 64 * TM * TN

#define THREADS ((BM / TM) * (BN / TN))

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[BK][BM + 1];
  __shared__ float b[BK][BN];
  const int thread = threadIdx.x;
  const int tx = thread % (BN / TN), ty = thread / (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float c[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = thread; i < BM * BK; i += THREADS) {
      const int r = i / BK, k = i % BK;
      const bool in = row0 + r < M && k0 + k < K;
      a[k][r] = in ? A[(size_t)(row0 + r) * K + k0 + k] : 0.0f;
    }
    for (int i = thread; i < BN * BK; i += THREADS) {
      const int n = i % BN, k = i / BN;
      const bool in = col0 + n < N && k0 + k < K;
      b[k][n] = in ? B[(size_t)(k0 + k) * N + col0 + n] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      float own[TM];
      for (int i = 0; i < TM; ++i) own[i] = a[k][ty + i * (BM / TM)];
      for (int j = 0; j < TN; ++j) {
        const float other = b[k][tx + j * (BN / TN)];
        for (int i = 0; i < TM; ++i) c[i][j] += own[i] * other;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      const int r = row0 + ty + i * (BM / TM), n = col0 + tx + j * (BN / TN);
      if (r < M && n < N) C[(size_t)r * N + n] = c[i][j];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  matmul_kernel<<<grid, THREADS>>>(A, B, C, M, N, K);
}
