// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per token and head, serial along the head.
__global__ void rotate(__half* x, const float* cos_t, const float* sin_t, const int* positions, int tokens, int heads, int dh) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= tokens * heads) return;
  const int half = dh / 2;
  for (int j = 0; j < half; ++j) {
    const size_t at = (size_t)positions[row / heads] * half + j;
    __half* pair = x + (size_t)row * dh + j;
    const float a = __half2float(pair[0]), b = __half2float(pair[half]);
    pair[0] = __float2half(a * cos_t[at] - b * sin_t[at]);
    pair[half] = __float2half(b * cos_t[at] + a * sin_t[at]);
  }
}

extern "C" void solve(__half* q, __half* k, const float* cos_t, const float* sin_t, const int* positions, int T, int Hq, int Hk, int Dh) {
  rotate<<<(T * Hq + 31) / 32, 32>>>(q, cos_t, sin_t, positions, T, Hq, Dh);
  rotate<<<(T * Hk + 31) / 32, 32>>>(k, cos_t, sin_t, positions, T, Hk, Dh);
}
