// SPDX-License-Identifier: Apache-2.0
// One warp a multiprocessor: each thread sums the products of two rows, 16 quads at a time, in eight
// chains. Loads, products and sums are one long straight piece. n is a multiple of 64.
extern "C" __global__ void __launch_bounds__(32)
    rowdot(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float4* p = reinterpret_cast<const float4*>(a + (long long)i * n);
  const float4* q = reinterpret_cast<const float4*>(b + (long long)i * n);
  float dot[4] = {}, norm[4] = {};
  for (int k = 0; k < n / 4; k += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float4 x = p[k + j], y = q[k + j];
      dot[j % 4] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
      norm[j % 4] += fabsf(x.x - y.x) + fabsf(x.y - y.y) + fabsf(x.z - y.z) + fabsf(x.w - y.w);
    }
  }
  out[2 * i] = dot[0] + dot[1] + dot[2] + dot[3];
  out[2 * i + 1] = norm[0] + norm[1] + norm[2] + norm[3];
}
