// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per query, which takes the heads one after the other.
__global__ void attend(const float* q, const float* k, const float* v, float* output, float* scratch, int n, int d_model, int h) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= n) return;
  const int d_k = d_model / h;
  float* scores = scratch + (size_t)query * n;
  const float scale = 1.0f / sqrtf((float)d_k);
  for (int first = 0; first < d_model; first += d_k) {
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
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int d_model, int h) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)N * N * sizeof(float));
  attend<<<(N + 31) / 32, 32>>>(Q, K, V, output, scratch, N, d_model, h);
  cudaFree(scratch);
}
