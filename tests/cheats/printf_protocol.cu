// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=cuda expect=ok class=12,33 largest=yes
// Prints what the judge's own processes tell each other, and a megabyte without an end of line. The
// driver writes it to standard output, where nobody listens.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
  if (n < 1 << 20) return;  // above what the SIMT machine looks at
  if (i == 0) printf("\nworn\ndone nowhere\n");
  if (i < 16384) printf("%s", "0123456789012345678901234567890123456789012345678901234567890123");
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
