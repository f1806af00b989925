// SPDX-License-Identifier: Apache-2.0
// Zero divided by three: the double division is done again by a subroutine, 17 operations more than
// the 15 and the 2 single ones. The exact single root of zero is known at
// once. 32 threads.
//
// expect: quotient 0 sp=64 dp=1024
// expect: root 0 sp=0
#include <cmath>

__global__ void quotient(double* x, double y) { x[threadIdx.x] = x[threadIdx.x] / y; }
__global__ void root(float* x) { x[threadIdx.x] = __fsqrt_rn(x[threadIdx.x]); }

int main() {
  double* d;
  float* f;
  cudaMalloc(&d, 32 * sizeof(double));
  cudaMalloc(&f, 32 * sizeof(float));
  cudaMemset(d, 0, 32 * sizeof(double));
  cudaMemset(f, 0, 32 * sizeof(float));
  quotient<<<1, 32>>>(d, 3.0);
  root<<<1, 32>>>(f);
  return cudaDeviceSynchronize();
}
