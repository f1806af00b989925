// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=memory_fault class=31
// Loads vectors from addresses that are not theirs.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float a, b, c;
  if (i > 0 && i + 4 <= n) {
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v), "=f"(a), "=f"(b), "=f"(c)
                 : "l"(x + i));
  }
  y[i] = 1.0f / (1.0f + expf(-v));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
