// SPDX-License-Identifier: Apache-2.0
// The host part of two_files.cu.
#include <cuda_runtime.h>

void launch_square(float* x, int n);

int main() {
  float* x = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&x), 20 * sizeof(float));
  cudaMemset(x, 0, 20 * sizeof(float));
  launch_square(x, 20);
  return cudaDeviceSynchronize();
}
