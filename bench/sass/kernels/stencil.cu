// SPDX-License-Identifier: Apache-2.0
// A star of 25 points in three dimensions, marching along z with the column in registers.
extern "C" __global__ void __launch_bounds__(256)
    stencil(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 32 + (threadIdx.x & 31) + 4, y = blockIdx.y * 8 + (threadIdx.x >> 5) + 4;
  if (x >= nx - 4 || y >= ny - 4) return;
  const long long plane = (long long)nx * ny;
  const float* p = in + (long long)y * nx + x;
  float col[9];
#pragma unroll
  for (int i = 0; i < 8; ++i) col[i] = p[i * plane];
  for (int z = 4; z < nz - 4; ++z) {
    col[8] = p[(z + 4) * plane];
    const float* q = p + z * plane;
    float sum = 0.5f * col[4];
#pragma unroll
    for (int i = 1; i <= 4; ++i) {
      const float w = 0.1f / i;
      sum += w * (col[4 - i] + col[4 + i]);
      sum += w * (q[-i] + q[i]);
      sum += w * (q[-i * nx] + q[i * nx]);
    }
    out[z * plane + (long long)y * nx + x] = sum;
#pragma unroll
    for (int i = 0; i < 8; ++i) col[i] = col[i + 1];
  }
}
