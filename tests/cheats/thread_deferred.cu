// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch,host_error class=2
// A detached thread would launch after solve has returned. The plan ends with solve, so it does
// nothing.
#include <unistd.h>

#include <thread>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  std::thread([=] {
    usleep(300000);
    sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
  }).detach();
}
