// zoo: task=matmul rules=strict device=simt expect=ok class=honest
// Register tiles of 4 x 4 fed from three stages of shared memory that cp.async fills ahead, 16
// bytes at a time where rows are aligned, else 4; edges are filled with zeros by the copy itself.
#include <cuda_runtime.h>

constexpr int kM = 64, kN = 64, kK = 8, kStages = 3;

__device__ void copy4(float* to, const float* from, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(to)),
               "l"(from), "r"(valid ? 4 : 0)
               : "memory");
}
__device__ void copy16(float* to, const float* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(to)),
               "l"(from), "r"(bytes)
               : "memory");
}

__global__ void __launch_bounds__(256)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float a[kStages][kM][kK + 4], b[kStages][kK][kN];
  const int m0 = blockIdx.y * kM, n0 = blockIdx.x * kN;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int steps = (K + kK - 1) / kK;
  auto fetch = [&](int step) {
    if (step < steps) {
      const int stage = step % kStages, k0 = step * kK;
      for (int i = threadIdx.x; i < kM * kK; i += 256) {
        const int r = i / kK, k = i % kK;
        const bool valid = m0 + r < M && k0 + k < K;
        copy4(&a[stage][r][k], valid ? A + (size_t)(m0 + r) * K + k0 + k : A, valid);
      }
      if (N % 4 == 0) {
        if (threadIdx.x < kK * kN / 4) {
          const int k = threadIdx.x / (kN / 4), n = threadIdx.x % (kN / 4) * 4;
          const bool valid = k0 + k < K && n0 + n < N;
          copy16(&b[stage][k][n], valid ? B + (size_t)(k0 + k) * N + n0 + n : B, valid ? 16 : 0);
        }
      } else {
        for (int i = threadIdx.x; i < kK * kN; i += 256) {
          const int k = i / kN, n = i % kN;
          const bool valid = k0 + k < K && n0 + n < N;
          copy4(&b[stage][k][n], valid ? B + (size_t)(k0 + k) * N + n0 + n : B, valid);
        }
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float c[4][4] = {};
  for (int s = 0; s < kStages - 1; ++s) fetch(s);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    fetch(step + kStages - 1);
    const int stage = step % kStages;
#pragma unroll
    for (int k = 0; k < kK; ++k) {
      float x[4];
      const float4 y = *reinterpret_cast<const float4*>(&b[stage][k][tx * 4]);
      for (int i = 0; i < 4; ++i) x[i] = a[stage][ty * 4 + i][k];
      for (int i = 0; i < 4; ++i) {
        c[i][0] = fmaf(x[i], y.x, c[i][0]);
        c[i][1] = fmaf(x[i], y.y, c[i][1]);
        c[i][2] = fmaf(x[i], y.z, c[i][2]);
        c[i][3] = fmaf(x[i], y.w, c[i][3]);
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int r = m0 + ty * 4 + i, n = n0 + tx * 4 + j;
      if (r < M && n < N) C[(size_t)r * N + n] = c[i][j];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + kN - 1) / kN, (M + kM - 1) / kM), 256>>>(A, B, C, M, N, K);
}
