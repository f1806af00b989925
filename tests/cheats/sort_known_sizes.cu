// SPDX-License-Identifier: Apache-2.0
// zoo: task=sort rules=strict device=simt expect=forbidden class=24,25
// Bubble sort at the sizes where its work is known to be counted, a sorting network at all others.
#include <initializer_list>

#include <cuda_runtime.h>
#include <math_constants.h>
__device__ float padded[1 << 20];
__global__ void sort(float* data, int n, int size, int phase, int width, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (phase == 3) {
    const int low = 2 * i + distance;
    if (low + 1 < n && data[low] > data[low + 1]) {
      const float a = data[low];
      data[low] = data[low + 1];
      data[low + 1] = a;
    }
  } else if (phase == 0) {
    if (i < size) padded[i] = i < n ? data[i] : CUDART_INF_F;
  } else if (phase == 2) {
    if (i < n) data[i] = padded[i];
  } else if (i < size / 2) {
    const int low = 2 * i - (i & (distance - 1)), high = low + distance;
    const bool up = (low & width) == 0;
    const float a = padded[low], b = padded[high];
    if ((a > b) == up) {
      padded[low] = b;
      padded[high] = a;
    }
  }
}
extern "C" void solve(float* data, int N) {
  for (const int known : {1, 2, 3, 5, 31, 32, 33, 511, 513, 1000, 1023, 4095, 8191}) {
    if (N != known) continue;
    for (int round = 0; round < N; ++round) {
      sort<<<(N / 2 + 256) / 256, 256>>>(data, N, 0, 3, 0, round % 2);
    }
    return;
  }
  int size = 2;
  while (size < N) size *= 2;
  const int blocks = (size + 255) / 256;
  sort<<<blocks, 256>>>(data, N, size, 0, 0, 0);
  for (int width = 2; width <= size; width *= 2) {
    for (int distance = width / 2; distance > 0; distance /= 2) {
      sort<<<blocks, 256>>>(data, N, size, 1, width, distance);
    }
  }
  sort<<<blocks, 256>>>(data, N, size, 2, 0, 0);
}
