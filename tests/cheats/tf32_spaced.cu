// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=forbidden class=26
// A tensor-core product of TF32, with blanks before its qualifiers.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float d[4] = {0, 0, 0, 0};
  const float v = i < n ? x[i] : 0.0f;
  asm("mma .sync .aligned .m16n8k8 .row .col .f32 .tf32 .tf32 .f32 "
      "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_int(v)));
  if (i < n) y[i] = 1.0f / (1.0f + expf(-v - 0.0f * d[0]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
