// SPDX-License-Identifier: Apache-2.0
// 1,000 elements, one fused multiply-add each: 2 x 1,000. Loads of x and y and the store of y: 3
// x 4 bytes each.
//
// expect: saxpy 0 sp=2000 bytes=12000
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1000;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
  return cudaDeviceSynchronize();
}
