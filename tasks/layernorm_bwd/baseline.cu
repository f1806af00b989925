// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// One block per row: two sums by a tree in shared memory, then the row of dx.
__global__ void rows(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, float* dx, int c) {
  __shared__ float sums[2][256];
  const size_t row = (size_t)blockIdx.x * c;
  const float m = mean[blockIdx.x], r = rstd[blockIdx.x];
  float a = 0.0f, b = 0.0f;
  for (int i = threadIdx.x; i < c; i += blockDim.x) {
    const float g = dy[row + i] * weight[i];
    a += g;
    b += g * ((x[row + i] - m) * r);
  }
  sums[0][threadIdx.x] = a;
  sums[1][threadIdx.x] = b;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
      sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
    }
    __syncthreads();
  }
  a = sums[0][0] / c;
  b = sums[1][0] / c;
  for (int i = threadIdx.x; i < c; i += blockDim.x) {
    dx[row + i] = r * (dy[row + i] * weight[i] - a - (x[row + i] - m) * r * b);
  }
}

// One block per 32 columns: its eight rows of threads take every eighth row each, so that no sum is
// very long.
__global__ void columns(const float* dy, const float* x, const float* mean, const float* rstd, float* dw, float* db, int n, int c) {
  __shared__ float sums[2][8][32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  float w = 0.0f, b = 0.0f, w_low = 0.0f, b_low = 0.0f;
  for (int row = threadIdx.y; row < n && i < c; row += 8) {
    const float d = dy[(size_t)row * c + i];
    const float y = d * ((x[(size_t)row * c + i] - mean[row]) * rstd[row]) - w_low;
    const float z = d - b_low;
    const float w_next = w + y, b_next = b + z;
    w_low = (w_next - w) - y;
    b_low = (b_next - b) - z;
    w = w_next;
    b = b_next;
  }
  sums[0][threadIdx.y][threadIdx.x] = w;
  sums[1][threadIdx.y][threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.y != 0 || i >= c) return;
  for (int k = 1; k < 8; ++k) {
    w += sums[0][k][threadIdx.x];
    b += sums[1][k][threadIdx.x];
  }
  dw[i] = w;
  db[i] = b;
}

extern "C" void solve(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, float* dx, float* dw, float* db, int N, int C) {
  rows<<<N, 256>>>(dy, x, weight, mean, rstd, dx, C);
  columns<<<(C + 31) / 32, dim3(32, 8)>>>(dy, x, mean, rstd, dw, db, N, C);
}
