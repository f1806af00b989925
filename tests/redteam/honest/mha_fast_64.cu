// zoo: task=mha rules=strict device=simt expect=ok class=honest
// cause: 2
// A way of its own for heads of width 64 and 32, and one for every other width: instances of one template.
#include <cuda_runtime.h>
template <int kWidth>
__global__ void attend(const float* q, const float* k, const float* v, float* out, int n, int d, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * h) return;
  const int width = kWidth > 0 ? kWidth : d / h;
  const size_t first = (size_t)(i % h) * width, row = (size_t)(i / h) * d + first;
  const double scale = 1.0 / sqrt((double)width);
  double largest = -INFINITY, total = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int m = 0; m < n; ++m) {
      double s = 0;
      for (int j = 0; j < width; ++j) s += (double)q[row + j] * k[(size_t)m * d + first + j];
      s *= scale;
      if (pass == 0)
        largest = fmax(largest, s);
      else
        total += exp(s - largest);
    }
  }
  for (int j = 0; j < width; ++j) out[row + j] = 0;
  for (int m = 0; m < n; ++m) {
    double s = 0;
    for (int j = 0; j < width; ++j) s += (double)q[row + j] * k[(size_t)m * d + first + j];
    const float p = (float)(exp(s * scale - largest) / total);
    for (int j = 0; j < width; ++j) out[row + j] += p * v[(size_t)m * d + first + j];
  }
}
extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int d_model, int h) {
  const int blocks = (N * h + 63) / 64, width = d_model / h;
  if (width == 64)
    attend<64><<<blocks, 64>>>(Q, K, V, output, N, d_model, h);
  else if (width == 32)
    attend<32><<<blocks, 64>>>(Q, K, V, output, N, d_model, h);
  else
    attend<0><<<blocks, 64>>>(Q, K, V, output, N, d_model, h);
}
