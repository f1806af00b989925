// SPDX-License-Identifier: Apache-2.0
// C = A * B in floats: 128x128x16 tiles, 8x8 outputs a thread, staged through registers; one block a
// multiprocessor, so nobody else issues where a warp waits. M and N are multiples of 128, K of 16.
extern "C" __global__ void __launch_bounds__(256, 1)
    sgemm128(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
             int k) {
  __shared__ float sa[2][16][128 + 4], sb[2][16][128];
  const int tid = threadIdx.x, tr = tid / 16 * 4, tc = tid % 16 * 4;
  const int ra = tid / 2, qa = tid % 2 * 8, rb = tid / 16, qb = tid % 16 * 8;
  const float* pa = a + (long long)(blockIdx.y * 128 + ra) * k + qa;
  const float* pb = b + (long long)rb * n + blockIdx.x * 128 + qb;
  float acc[8][8] = {};
  float4 na[2], nb[2];
  const auto load = [&](int k0) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      na[h] = *reinterpret_cast<const float4*>(pa + k0 + 4 * h);
      nb[h] = *reinterpret_cast<const float4*>(pb + (long long)k0 * n + 4 * h);
    }
  };
  const auto store = [&](int at) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int q = qa + 4 * h;
      sa[at][q][ra] = na[h].x, sa[at][q + 1][ra] = na[h].y;
      sa[at][q + 2][ra] = na[h].z, sa[at][q + 3][ra] = na[h].w;
      *reinterpret_cast<float4*>(&sb[at][rb][qb + 4 * h]) = nb[h];
    }
  };
  load(0);
  store(0);
  __syncthreads();
  for (int k0 = 0, at = 0; k0 < k; k0 += 16, at ^= 1) {
    const bool more = k0 + 16 < k;
    if (more) load(k0 + 16);
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      float p[8], q[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(p + 4 * h) = *reinterpret_cast<const float4*>(&sa[at][kk][tr + 64 * h]);
        *reinterpret_cast<float4*>(q + 4 * h) = *reinterpret_cast<const float4*>(&sb[at][kk][tc + 64 * h]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += p[i] * q[j];
    }
    if (more) store(at ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(c + (long long)(blockIdx.y * 128 + tr + i % 4 + i / 4 * 64) * n +
                                 blockIdx.x * 128 + tc + 64 * h) =
          make_float4(acc[i][4 * h], acc[i][4 * h + 1], acc[i][4 * h + 2], acc[i][4 * h + 3]);
}
