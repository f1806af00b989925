// zoo: task=matmul rules=strict device=simt expect=ok class=honest
// Full float accuracy from bfloat16 tensor cores: each float is the exact sum of three bfloat16,
// and all nine products are added, small ones first, by m16n8k16 instructions. Tensor cores cut off
// what they add up, so the large products of each step are added by ordinary arithmetic.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int kM = 32, kN = 32, kK = 16, kPad = 8;

__device__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void split(float x, __nv_bfloat16* to, int stride) {
  // Truncation leaves 8 bits a part, so three parts hold all 24.
  for (int p = 0; p < 3; ++p) {
    const unsigned bits = __float_as_uint(x) & 0xffff0000u;
    to[p * stride] = __ushort_as_bfloat16((unsigned short)(bits >> 16));
    x -= __uint_as_float(bits);
  }
}
__device__ unsigned pair(const __nv_bfloat16* p) { return *reinterpret_cast<const unsigned*>(p); }

__global__ void __launch_bounds__(128)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) __nv_bfloat16 a[3][kM][kK + kPad], b[3][kN][kK + kPad];
  const int m0 = blockIdx.y * kM, n0 = blockIdx.x * kN;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, quad = lane % 4;
  const int wm = warp / 2 * 16, wn = warp % 2 * 16;
  // Sums of the large products and of the corrections apart.
  float c[2][3][4] = {};
  for (int k0 = 0; k0 < K; k0 += kK) {
    for (int i = threadIdx.x; i < kM * kK; i += 128) {
      const int r = i / kK, k = i % kK;
      split(m0 + r < M && k0 + k < K ? A[(size_t)(m0 + r) * K + k0 + k] : 0.0f, &a[0][r][k],
            kM * (kK + kPad));
    }
    for (int i = threadIdx.x; i < kN * kK; i += 128) {
      const int k = i / kN, r = i % kN;
      split(n0 + r < N && k0 + k < K ? B[(size_t)(k0 + k) * N + n0 + r] : 0.0f, &b[0][r][k],
            kN * (kK + kPad));
    }
    __syncthreads();
    for (int order = 4; order >= 0; --order) {
      for (int pa = 0; pa < 3; ++pa) {
        const int pb = order - pa;
        if (pb < 0 || pb > 2) continue;
        const unsigned fa[4] = {
            pair(&a[pa][wm + group][quad * 2]), pair(&a[pa][wm + group + 8][quad * 2]),
            pair(&a[pa][wm + group][quad * 2 + 8]), pair(&a[pa][wm + group + 8][quad * 2 + 8])};
        for (int half = 0; half < 2; ++half) {
          const int column = wn + half * 8 + group;
          const unsigned fb[2] = {pair(&b[pb][column][quad * 2]), pair(&b[pb][column][quad * 2 + 8])};
          if (order > 0) {
            mma(c[half][order > 2 ? 2 : order], fa, fb);
            continue;
          }
          float part[4] = {};
          mma(part, fa, fb);
          for (int e = 0; e < 4; ++e) c[half][0][e] += part[e];
        }
      }
    }
    __syncthreads();
  }
  for (int half = 0; half < 2; ++half) {
    for (int e = 0; e < 4; ++e) {
      const int r = m0 + wm + group + e / 2 * 8, n = n0 + wn + half * 8 + quad * 2 + e % 2;
      if (r < M && n < N)
        C[(size_t)r * N + n] = c[half][0][e] + (c[half][1][e] + c[half][2][e]);
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((N + kN - 1) / kN, (M + kM - 1) / kM), 128>>>(A, B, C, M, N, K);
}
