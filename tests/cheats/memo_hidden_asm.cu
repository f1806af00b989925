// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=forbidden class=15,35
// Declares its memory in inline assembly inside of the kernel, where nobody who lists the module's
// variables would find and reset it.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int seen;
  asm volatile(
      "{ .global .align 4 .u32 hidden_memo;\n"
      "ld.global.u32 %0, [hidden_memo];\n"
      "st.global.u32 [hidden_memo], 1; }"
      : "=r"(seen)
      :
      : "memory");
  if (i < n && seen == 0) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
