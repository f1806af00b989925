// zoo: task=ols rules=free device=simt expect=ok class=honest
// Normal equations in double: blocks add their share of the Gram matrix by atomics, with X^T y as
// one more column; then a single block factorises in shared memory and solves.
#include <cuda_runtime.h>

constexpr int kMost = 64, kRows = 16;

__global__ void gram(const float* X, const float* y, double* G, int n, int p) {
  __shared__ float rows[kRows][kMost + 1];
  const int width = p + 1;
  double sums[17] = {};
  for (int first = blockIdx.x * kRows; first < n; first += gridDim.x * kRows) {
    const int count = min(kRows, n - first);
    for (int i = threadIdx.x; i < count * width; i += blockDim.x) {
      const int r = i / width, c = i % width;
      rows[r][c] = c < p ? X[(size_t)(first + r) * p + c] : y[first + r];
    }
    __syncthreads();
    for (int k = 0, i = threadIdx.x; i < width * width; i += blockDim.x, ++k) {
      const int a = i / width, b = i % width;
      for (int r = 0; r < count; ++r) sums[k] += (double)rows[r][a] * rows[r][b];
    }
    __syncthreads();
  }
  for (int k = 0, i = threadIdx.x; i < width * width; i += blockDim.x, ++k) atomicAdd(G + i, sums[k]);
}

__global__ void factorise(double* G, float* beta, int p) {
  const int width = p + 1;
  __shared__ double x[kMost];
  for (int k = 0; k < p; ++k) {
    __syncthreads();
    if (threadIdx.x == 0) G[k * width + k] = sqrt(G[k * width + k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < p; i += blockDim.x) G[i * width + k] /= G[k * width + k];
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < p; i += blockDim.x)
      for (int j = k + 1; j <= i; ++j) G[i * width + j] -= G[i * width + k] * G[j * width + k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 0; i < p; ++i) {
    double s = G[i * width + p];
    for (int j = 0; j < i; ++j) s -= G[i * width + j] * x[j];
    x[i] = s / G[i * width + i];
  }
  for (int i = p - 1; i >= 0; --i) {
    double s = x[i];
    for (int j = i + 1; j < p; ++j) s -= G[j * width + i] * x[j];
    x[i] = s / G[i * width + i];
    beta[i] = (float)x[i];
  }
}

extern "C" void solve(const float* X, const float* y, float* beta, int n_samples, int n_features) {
  const int width = n_features + 1;
  double* G;
  cudaMalloc(&G, sizeof(double) * width * width);
  cudaMemset(G, 0, sizeof(double) * width * width);
  int blocks = (n_samples + 4 * kRows - 1) / (4 * kRows);
  gram<<<blocks > 132 ? 132 : blocks, 256>>>(X, y, G, n_samples, n_features);
  factorise<<<1, 64>>>(G, beta, n_features);
  cudaFree(G);
}
