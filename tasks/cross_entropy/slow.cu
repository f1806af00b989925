// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread and one atomic addition per row. For timing: it also loses digits.
__global__ void cross_entropy(const float* logits, const int* labels, float* loss, int n, int c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* z = logits + (size_t)row * c;
  float largest = z[0];
  for (int k = 1; k < c; ++k) largest = fmaxf(largest, z[k]);
  float total = 0.0f;
  for (int k = 0; k < c; ++k) total += expf(z[k] - largest);
  atomicAdd(loss, (logf(total) + (largest - z[labels[row]])) / n);
}

extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy<<<(N + 255) / 256, 256>>>(logits, true_labels, loss, N, C);
}
