// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One block per SM walks the array.
__global__ void reverse(float* data, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += step) {
    const float left = data[i], right = data[n - 1 - i];
    data[i] = right;
    data[n - 1 - i] = left;
  }
}

extern "C" void solve(float* input, int N) { reverse<<<132, 256>>>(input, N); }
