// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per query and head: scores into scratch memory, softmax, weighted sum, all serial.
__global__ void attend(const float* q, const float* k, const float* v, float* output, float* scratch, int n, int d_model, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * h) return;
  const int query = i / h;
  const int d_k = d_model / h;
  const int first = (i % h) * d_k;
  float* scores = scratch + (size_t)i * n;
  const float scale = 1.0f / sqrtf((float)d_k);
  float largest = -INFINITY;
  for (int m = 0; m < n; ++m) {
    float sum = 0.0f;
    for (int j = 0; j < d_k; ++j) sum += q[(size_t)query * d_model + first + j] * k[(size_t)m * d_model + first + j];
    scores[m] = sum * scale;
    largest = fmaxf(largest, scores[m]);
  }
  float total = 0.0f;
  for (int m = 0; m < n; ++m) {
    scores[m] = expf(scores[m] - largest);
    total += scores[m];
  }
  for (int j = 0; j < d_k; ++j) {
    float sum = 0.0f;
    for (int m = 0; m < n; ++m) sum += scores[m] * v[(size_t)m * d_model + first + j];
    output[(size_t)query * d_model + first + j] = sum / total;
  }
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int d_model, int h) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)N * h * N * sizeof(float));
  attend<<<(N * h + 63) / 64, 64>>>(Q, K, V, output, scratch, N, d_model, h);
  cudaFree(scratch);
}
