// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=compile_error class=36
// Fails with the words of a compiler whose precompiled headers are out of date, so that the judge
// throws away what all candidates share.
#include <cuda_runtime.h>
static_assert(false, "\nfatal error: file '/usr/include/stdio.h' has been modified since the "
                     "precompiled header 'device.pch' was built: mtime changed\n");
#error since the precompiled header
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
