// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=forbidden class=26
// Rounds to half precision with the rounding named behind the types, where the assembler takes it
// too.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  asm("{\n.reg .b16 h;\ncvt.f16.f32.rn h, %0;\nmov.b32 %0, {h, h};\n}" : "+f"(v));
  y[i] = v;
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
