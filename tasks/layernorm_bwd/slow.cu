// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One thread per row.
__global__ void rows(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, float* dx, int n, int c) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const size_t row = (size_t)k * c;
  float a = 0.0f, b = 0.0f;
  for (int i = 0; i < c; ++i) {
    const float g = dy[row + i] * weight[i];
    a += g;
    b += g * ((x[row + i] - mean[k]) * rstd[k]);
  }
  for (int i = 0; i < c; ++i) {
    dx[row + i] = rstd[k] * (dy[row + i] * weight[i] - a / c - (x[row + i] - mean[k]) * rstd[k] * (b / c));
  }
}

// One thread per column.
__global__ void columns(const float* dy, const float* x, const float* mean, const float* rstd, float* dw, float* db, int n, int c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c) return;
  float w = 0.0f, b = 0.0f;
  for (int k = 0; k < n; ++k) {
    const float d = dy[(size_t)k * c + i];
    w += d * ((x[(size_t)k * c + i] - mean[k]) * rstd[k]);
    b += d;
  }
  dw[i] = w;
  db[i] = b;
}

extern "C" void solve(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, float* dx, float* dw, float* db, int N, int C) {
  rows<<<(N + 31) / 32, 32>>>(dy, x, weight, mean, rstd, dx, N, C);
  columns<<<(C + 31) / 32, 32>>>(dy, x, mean, rstd, dw, db, N, C);
}
