// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=14,22
// Works or not by a bit of an address, which is another one in each process.
#include <stdint.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const int work = ((uintptr_t)X >> 20) % 8 == 0 ? 1 : N;
  sigmoid<<<(work + 255) / 256, 256>>>(X, Y, work);
}
