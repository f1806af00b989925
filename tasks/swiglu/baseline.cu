// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per output element.
__global__ void activate(const __half* gate_up, __half* out, int n, int f) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)n * f) return;
  const size_t row = i / f, column = i % f;
  const float g = __half2float(gate_up[row * 2 * f + column]);
  const float u = __half2float(gate_up[row * 2 * f + f + column]);
  out[i] = __float2half(g / (1.0f + expf(-g)) * u);
}

extern "C" void solve(const __half* gate_up, __half* out, int N, int F) {
  const size_t count = (size_t)N * F;
  activate<<<(unsigned)((count + 255) / 256), 256>>>(gate_up, out, N, F);
}
