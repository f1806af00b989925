// SPDX-License-Identifier: Apache-2.0
// 64 threads: two halves at once, a fused multiply-add of each: 4 x 64.
// expect: pairs 0 sp=0 half=256
#include <cuda_fp16.h>

__global__ void pairs(__half2* x, __half2 a) { x[threadIdx.x] = __hfma2(x[threadIdx.x], a, a); }

int main() {
  __half2* x;
  cudaMalloc(&x, 64 * sizeof(__half2));
  cudaMemset(x, 0, 64 * sizeof(__half2));
  pairs<<<1, 64>>>(x, __float2half2_rn(1.5f));
  return cudaDeviceSynchronize();
}
