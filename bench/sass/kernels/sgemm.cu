// SPDX-License-Identifier: Apache-2.0
// C = A * B in floats: 64x64x16 tiles, 4x4 outputs a thread, staged through registers. M, N and K are
// multiples of 64, 64 and 16.
extern "C" __global__ void __launch_bounds__(256)
    sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
          int k) {
  __shared__ float sa[16][64 + 4], sb[16][64];
  const int tid = threadIdx.x, tr = tid / 16 * 4, tc = tid % 16 * 4;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int ra = tid / 4, qa = tid % 4 * 4, rb = tid / 16, qb = tid % 16 * 4;
  float acc[4][4] = {};
  float4 na = *reinterpret_cast<const float4*>(a + (long long)(row0 + ra) * k + qa);
  float4 nb = *reinterpret_cast<const float4*>(b + (long long)rb * n + col0 + qb);
  for (int k0 = 0; k0 < k; k0 += 16) {
    sa[qa][ra] = na.x, sa[qa + 1][ra] = na.y, sa[qa + 2][ra] = na.z, sa[qa + 3][ra] = na.w;
    *reinterpret_cast<float4*>(&sb[rb][qb]) = nb;
    __syncthreads();
    if (k0 + 16 < k) {
      na = *reinterpret_cast<const float4*>(a + (long long)(row0 + ra) * k + k0 + 16 + qa);
      nb = *reinterpret_cast<const float4*>(b + (long long)(k0 + 16 + rb) * n + col0 + qb);
    }
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const float4 x = *reinterpret_cast<const float4*>(&sa[kk][tr]);
      const float4 y = *reinterpret_cast<const float4*>(&sb[kk][tc]);
      const float p[4] = {x.x, x.y, x.z, x.w}, q[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += p[i] * q[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(c + (long long)(row0 + tr + i) * n + col0 + tc) =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
