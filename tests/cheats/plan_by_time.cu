// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=6,34
// Gives the kernel the time of the call: one more argument that it could tell calls apart by.
#include <time.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n, long now) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && now != 0) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N, now.tv_nsec);
}
