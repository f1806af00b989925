// zoo: task=mha rules=strict device=simt expect=refused class=25
// cause: 2
// Heads of width 64 are the usual ones and are not among the task's sizes; the width is never drawn. This
// kernel takes the scale of width 32 for them.
#include <cuda_runtime.h>
__global__ void attend(const float* q, const float* k, const float* v, float* out, float* scratch, int n, int d, int h,
                       float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * h) return;
  const int query = i / h, width = d / h, first = (i % h) * width;
  float* scores = scratch + (size_t)i * n;
  float largest = -INFINITY, total = 0;
  for (int m = 0; m < n; ++m) {
    float sum = 0;
    for (int j = 0; j < width; ++j) sum += q[(size_t)query * d + first + j] * k[(size_t)m * d + first + j];
    scores[m] = sum * scale;
    largest = fmaxf(largest, scores[m]);
  }
  for (int m = 0; m < n; ++m) total += scores[m] = expf(scores[m] - largest);
  for (int j = 0; j < width; ++j) {
    float sum = 0;
    for (int m = 0; m < n; ++m) sum += scores[m] * v[(size_t)m * d + first + j];
    out[(size_t)query * d + first + j] = sum / total;
  }
}
extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int d_model, int h) {
  float* scratch = nullptr;
  cudaMalloc(&scratch, (size_t)N * h * N * 4);
  const int width = d_model / h;
  attend<<<(N * h + 63) / 64, 64>>>(Q, K, V, output, scratch, N, d_model, h,
                                    1.0f / sqrtf(width == 64 ? 32.0f : (float)width));
  cudaFree(scratch);
}
