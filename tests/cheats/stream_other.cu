// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok class=1
// Launches on a non-blocking stream and does not wait, so that a timer of the default stream sees
// nothing. The call ends when all of its streams have ended: the work is timed like any other.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  sigmoid<<<(N + 255) / 256, 256, 0, other>>>(X, Y, N);
}
