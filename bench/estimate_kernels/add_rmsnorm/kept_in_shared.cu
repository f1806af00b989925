// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// The row stays in shared memory between both walks.
__global__ void normalise(const __half* x, __half* residual, const __half* weight, __half* out, int n, int c, float eps) {
  extern __shared__ float row[];
  __shared__ float part[8];
  const size_t at = (size_t)blockIdx.x * c;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < c; i += 256) {
    const float r = __half2float(residual[at + i]) + __half2float(x[at + i]);
    residual[at + i] = __float2half(r);
    if (i < 8192) row[i] = __half2float(__float2half(r));
    sum += r * r;
  }
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += part[k];
  const float factor = rsqrtf(sum / c + eps);
  for (int i = threadIdx.x; i < c; i += 256)
    out[at + i] = __float2half((i < 8192 ? row[i] : __half2float(residual[at + i])) * factor * __half2float(weight[i]));
}

extern "C" void solve(const __half* x, __half* residual, const __half* weight, __half* out, int N, int C, float eps) {
  normalise<<<N, 256, 8192 * sizeof(float)>>>(x, residual, weight, out, N, C, eps);
}
