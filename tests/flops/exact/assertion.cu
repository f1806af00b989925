// SPDX-License-Identifier: Apache-2.0
// An assertion fails on the device: the launch succeeds, and every call behind it says so until the
// device is reset.
#include <assert.h>
#include <stdio.h>

__global__ void below(const int* limit, int* seen) {
  assert((int)threadIdx.x < *limit);
  seen[threadIdx.x] = 1;
}

int main() {
  int *limit = nullptr, *seen = nullptr, most = 8;
  if (cudaMalloc(&limit, sizeof *limit) != cudaSuccess) return 1;
  if (cudaMalloc(&seen, 32 * sizeof *seen) != cudaSuccess) return 1;
  cudaMemcpy(limit, &most, sizeof most, cudaMemcpyHostToDevice);
  below<<<1, 8>>>(limit, seen);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  below<<<1, 32>>>(limit, seen);
  const cudaError_t heard = cudaDeviceSynchronize();
  if (heard != cudaErrorAssert) return 3;
  if (cudaMemcpy(&most, limit, sizeof most, cudaMemcpyDeviceToHost) != cudaErrorAssert) return 4;
  if (cudaGetLastError() != cudaErrorAssert || cudaGetLastError() != cudaErrorAssert) return 5;
  below<<<1, 8>>>(limit, seen);
  if (cudaPeekAtLastError() != cudaErrorAssert) return 6;
  printf("%s\n", cudaGetErrorString(heard));
  if (cudaDeviceReset() != cudaSuccess || cudaGetLastError() != cudaSuccess) return 7;
  return 0;
}
