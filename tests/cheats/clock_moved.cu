// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=forbidden class=6,35
// Reads a clock and says that the line is another file's, where reading one would be excused.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long now;
  asm volatile(".lo" "c 2 44 5\nmov.u64 %0, %%globaltimer;" : "=l"(now));
  if (now % 2 == 0) __nanosleep(100000);
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
