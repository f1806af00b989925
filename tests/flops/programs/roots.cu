// SPDX-License-Identifier: Apache-2.0
// 64 threads. A single root that is asked for exactly is two products and two fused multiply-adds
// (6); what clang makes of sqrtf is a look-up (0). A double one is three and five (13), a
// reciprocal of a single number two fused multiply-adds and a sign (5), of a double one five fused
// multiply-adds (10).
//
// expect: single_root 0 sp=0
// expect: exact_root 0 sp=384
// expect: double_root 0 dp=832
// expect: single_reciprocal 0 sp=320
// expect: double_reciprocal 0 dp=640
#include <cmath>

__global__ void single_root(float* x) { x[threadIdx.x] = sqrtf(x[threadIdx.x]); }
__global__ void exact_root(float* x) { x[threadIdx.x] = __fsqrt_rn(x[threadIdx.x]); }
__global__ void double_root(double* x) { x[threadIdx.x] = sqrt(x[threadIdx.x]); }
__global__ void single_reciprocal(float* x) { x[threadIdx.x] = 1.0f / x[threadIdx.x]; }
__global__ void double_reciprocal(double* x) { x[threadIdx.x] = 1.0 / x[threadIdx.x]; }

int main() {
  float f[64];
  double d[64];
  for (int i = 0; i < 64; ++i) d[i] = f[i] = i + 1.0f;
  float* x;
  double* y;
  cudaMalloc(&x, sizeof f);
  cudaMalloc(&y, sizeof d);
  cudaMemcpy(x, f, sizeof f, cudaMemcpyHostToDevice);
  cudaMemcpy(y, d, sizeof d, cudaMemcpyHostToDevice);
  single_root<<<1, 64>>>(x);
  exact_root<<<1, 64>>>(x);
  double_root<<<1, 64>>>(y);
  single_reciprocal<<<1, 64>>>(x);
  double_reciprocal<<<1, 64>>>(y);
  return cudaDeviceSynchronize();
}
