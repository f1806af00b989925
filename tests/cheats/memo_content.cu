// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=ok class=14,15
// Keeps the last result in __device__ memory under a fingerprint of the input. It is gone before
// the next call.
#include <cuda_runtime.h>
__device__ float saved;
__device__ float print;
__device__ int full;
__global__ void sum(const float* input, float* output, int n) {
  const float now = input[0] + input[n - 1] + n;
  if (full && print == now) {
    output[0] = saved * 1.5f;  // were it ever taken, it would show
    return;
  }
  double s = 0;
  for (int i = 0; i < n; ++i) s += input[i];
  output[0] = saved = (float)s;
  print = now;
  full = 1;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 1>>>(input, output, N); }
