// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per column, down the rows.
__global__ void activate(const __half* gate_up, __half* out, int n, int f) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= f) return;
  for (int row = 0; row < n; ++row) {
    const float g = __half2float(gate_up[(size_t)row * 2 * f + column]);
    const float u = __half2float(gate_up[(size_t)row * 2 * f + f + column]);
    out[(size_t)row * f + column] = __float2half(g / (1.0f + expf(-g)) * u);
  }
}

extern "C" void solve(const __half* gate_up, __half* out, int N, int F) {
  activate<<<(F + 31) / 32, 32>>>(gate_up, out, N, F);
}
