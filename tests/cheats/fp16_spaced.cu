// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=forbidden class=26
// Rounds to half precision by instructions that are written with blanks, line ends and a comment
// between opcode and qualifiers, as the assembler takes them.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  asm("{\n.reg .b16 h;\ncvt .rn\n.f16 /* of */ .f32 h, %0;\ncvt .f32 .f16 %0, h;\n}" : "+f"(v));
  y[i] = 1.0f / (1.0f + expf(-v));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
