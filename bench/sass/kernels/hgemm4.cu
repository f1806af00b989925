// SPDX-License-Identifier: Apache-2.0
// C = A * B in halves with float accumulators: 128x64x32 tiles, cp.async in two stages, ldmatrix and
// mma.sync. Four warps, one a scheduler, for small matrices: a block a multiprocessor or less. M, N and K are
// multiples of 128, 64 and 32.
#include <cuda_fp16.h>

constexpr int kRows = 128, kCols = 64, kDepth = 32, kPadA = 8, kPadB = 8;

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared_address(to)), "l"(from));
}

extern "C" __global__ void __launch_bounds__(128)
    hgemm4(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c, int m, int n,
          int k) {
  __shared__ __align__(16) half sa[2][kRows][kDepth + kPadA];
  __shared__ __align__(16) half sb[2][kDepth][kCols + kPadB];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int row0 = blockIdx.y * kRows, col0 = blockIdx.x * kCols;
  const int wr = (warp >> 1) * 64, wc = (warp & 1) * 32;
  float acc[4][4][4] = {};
  const auto load = [&](int stage, int k0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = tid + i * 128;
      const int r = at >> 2, q = (at & 3) * 8;
      copy_async(&sa[stage][r][q], a + (long long)(row0 + r) * k + k0 + q);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = tid + i * 128;
      const int rb = at >> 3, qb = (at & 7) * 8;
      copy_async(&sb[stage][rb][qb], b + (long long)(k0 + rb) * n + col0 + qb);
    }
    asm volatile("cp.async.commit_group;\n");
  };
  load(0, 0);
  for (int k0 = 0, stage = 0; k0 < k; k0 += kDepth, stage ^= 1) {
    asm volatile("cp.async.wait_group 0;\n");
    __syncthreads();
    if (k0 + kDepth < k) load(stage ^ 1, k0 + kDepth);
#pragma unroll
    for (int kk = 0; kk < kDepth; kk += 16) {
      unsigned fa[4][4], fb[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned at = shared_address(&sa[stage][wr + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(at));
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const unsigned at = shared_address(&sb[stage][kk + (lane & 15)][wc + j * 16 + (lane >> 4) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(fb[2 * j][0]), "=r"(fb[2 * j][1]), "=r"(fb[2 * j + 1][0]), "=r"(fb[2 * j + 1][1])
                     : "r"(at));
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
              "{%0,%1,%2,%3};\n"
              : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
              : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = row0 + wr + i * 16 + (lane >> 2), q = col0 + wc + j * 8 + (lane & 3) * 2;
      *reinterpret_cast<half2*>(&c[(long long)r * n + q]) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2*>(&c[(long long)(r + 8) * n + q]) =
          __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}
