// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=12
// Kills its parent, its group and everything else it can name. No signal leaves its process.
#include <signal.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  kill(getppid(), SIGKILL);
  kill(-1, SIGKILL);
  kill(0, SIGKILL);
  usleep(200000);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
