// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=compile_error class=32
// Hides another signature behind a macro.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
#define solve solve_later
extern "C" void solve(const float* X, double* Y) { sigmoid<<<1, 1>>>(X, (float*)Y, 1); }
