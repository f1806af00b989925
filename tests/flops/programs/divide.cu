// SPDX-License-Identifier: Apache-2.0
// 256 threads. A single division is five fused multiply-adds (10), a double one seven of them and a
// product (15) and one single fused multiply-add that looks at the high words (2).
// expect: single_division 0 sp=2560
// expect: double_division 0 sp=512 dp=3840
#include <cstdio>

__global__ void single_division(float* x, float y) { x[threadIdx.x] = x[threadIdx.x] / y; }
__global__ void double_division(double* x, double y) { x[threadIdx.x] = x[threadIdx.x] / y; }

int main() {
  float f[256];
  double d[256];
  for (int i = 0; i < 256; ++i) d[i] = f[i] = i + 1.0f;
  float* x;
  double* y;
  cudaMalloc(&x, sizeof f);
  cudaMalloc(&y, sizeof d);
  cudaMemcpy(x, f, sizeof f, cudaMemcpyHostToDevice);
  cudaMemcpy(y, d, sizeof d, cudaMemcpyHostToDevice);
  single_division<<<1, 256>>>(x, 3.0f);
  double_division<<<1, 256>>>(y, 3.0);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
