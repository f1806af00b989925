// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=memory_fault,launch_error,timeout class=12
// Exhausts the stack of a thread.
#include <cuda_runtime.h>
__device__ __noinline__ float deeper(const float* x, int n) {
  volatile float here[64];
  here[n & 63] = x[0];
  return deeper(x, n + 1) + here[(n + 1) & 63];
}
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = deeper(x, i);
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
