// SPDX-License-Identifier: Apache-2.0
// zoo: task=sort rules=strict device=simt expect=forbidden class=24
// A sorting network of distant exchanges, in a task that asks for bubble sort.
#include <cuda_runtime.h>
#include <math_constants.h>
__device__ float padded[1 << 20];
__global__ void bitonic(float* data, int n, int size, int phase, int width, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (phase == 0) {
    if (i < size) padded[i] = i < n ? data[i] : CUDART_INF_F;
  } else if (phase == 2) {
    if (i < n) data[i] = padded[i];
  } else if (i < size / 2) {
    const int low = (i / distance) * 2 * distance + i % distance, high = low + distance;
    const bool up = (low & width) == 0;
    const float a = padded[low], b = padded[high];
    if ((a > b) == up) {
      padded[low] = b;
      padded[high] = a;
    }
  }
}
extern "C" void solve(float* data, int N) {
  int size = 2;
  while (size < N) size *= 2;
  const int blocks = (size + 255) / 256;
  bitonic<<<blocks, 256>>>(data, N, size, 0, 0, 0);
  for (int width = 2; width <= size; width *= 2) {
    for (int distance = width / 2; distance > 0; distance /= 2) {
      bitonic<<<blocks, 256>>>(data, N, size, 1, width, distance);
    }
  }
  bitonic<<<blocks, 256>>>(data, N, size, 2, 0, 0);
}
