// SPDX-License-Identifier: Apache-2.0
// The program asks the device for its size: 68 multiprocessors, a block of 64 threads on each, one
// addition a thread.
// expect: each 0 sp=4352 grid=68,1,1
#include <cuda_runtime.h>

__global__ void each(float* x) { x[blockIdx.x * 64 + threadIdx.x] += 1.5f; }

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  const int blocks = properties.multiProcessorCount;
  float* x;
  cudaMalloc(&x, blocks * 64 * sizeof(float));
  each<<<blocks, 64>>>(x);
  return cudaDeviceSynchronize();
}
