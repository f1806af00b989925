// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error,launch_error class=6,34
// Counts calls by the number of its process, and does less in some of them.
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const int work = getpid() % 2 == 0 ? N : N / 2;
  sigmoid<<<(work + 255) / 256, 256>>>(X, Y, work);
}
