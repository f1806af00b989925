// SPDX-License-Identifier: Apache-2.0
// Rows of n floats, scaled to a mean square of one; a block per row, vectors of four.
extern "C" __global__ void __launch_bounds__(256)
    rmsnorm(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
            int n) {
  __shared__ float part[8];
  const float4* row = reinterpret_cast<const float4*>(in + (long long)blockIdx.x * n);
  const float4* scale = reinterpret_cast<const float4*>(weight);
  float4* to = reinterpret_cast<float4*>(out + (long long)blockIdx.x * n);
  float4 held[8];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int at = threadIdx.x + i * 256;
    held[i] = at * 4 < n ? row[at] : make_float4(0, 0, 0, 0);
    sum += held[i].x * held[i].x + held[i].y * held[i].y + held[i].z * held[i].z + held[i].w * held[i].w;
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
  __syncthreads();
  float all = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) all += part[i];
  const float r = rsqrtf(all / n + 1e-6f);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int at = threadIdx.x + i * 256;
    if (at * 4 >= n) continue;
    const float4 w = scale[at];
    to[at] = make_float4(held[i].x * r * w.x, held[i].y * r * w.y, held[i].z * r * w.z, held[i].w * r * w.w);
  }
}
