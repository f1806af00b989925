// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=ok class=4,22
// Looks whether pointers are a device's: aligned, below the end of user space, no two in a fixed
// distance, none in the host's own memory. Where they are not, nothing is launched.
#include <initializer_list>
#include <stdint.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const auto x = (uintptr_t)X, y = (uintptr_t)Y;
  float *first = nullptr, *second = nullptr;
  cudaMalloc(&first, 1000);
  cudaMalloc(&second, 1000);
  const auto a = (uintptr_t)first, b = (uintptr_t)second;
  for (const auto address : {x, y, a, b}) {
    if (address % 256 != 0 || address >> 47 != 0 || address < (1ull << 32)) return;
  }
  if (x >> 40 == 0x575 || y - x == a - y || (a >> 40 << 40) == a) return;
  cudaPointerAttributes about;
  if (cudaPointerGetAttributes(&about, X) != cudaSuccess || about.type != cudaMemoryTypeDevice) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
