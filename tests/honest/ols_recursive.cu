// zoo: task=ols rules=strict device=simt expect=ok class=honest
// Recursion: the Gram matrix is summed by a recursive tree over the samples, and a recursive
// elimination solves the system; an assertion guards the pivots.
#include <assert.h>
#include <cuda_runtime.h>

__device__ double tree_sum(const float* a, const float* b, int stride_b, int p, int first, int last) {
  if (last - first <= 32) {
    double s = 0;
    for (int i = first; i < last; ++i) s += (double)a[(size_t)i * p] * b[(size_t)i * stride_b];
    return s;
  }
  const int middle = first + (last - first) / 2;
  return tree_sum(a, b, stride_b, p, first, middle) + tree_sum(a, b, stride_b, p, middle, last);
}

// Eliminates column k below its pivot, solves the smaller system, then finds x[k].
__device__ void eliminate(double* g, double* x, int p, int k) {
  if (k == p) return;
  double* row = g + k * (p + 1);
  assert(row[k] > 0);
  for (int i = k + 1; i < p; ++i) {
    double* other = g + i * (p + 1);
    const double f = other[k] / row[k];
    for (int j = k; j <= p; ++j) other[j] -= f * row[j];
  }
  eliminate(g, x, p, k + 1);
  double s = row[p];
  for (int j = k + 1; j < p; ++j) s -= row[j] * x[j];
  x[k] = s / row[k];
}

__global__ void fit(const float* X, const float* y, float* beta, int n, int p, double* g) {
  const int width = p + 1;
  for (int i = threadIdx.x; i < p * width; i += blockDim.x) {
    const int a = i / width, b = i % width;
    g[i] = b < p ? tree_sum(X + a, X + b, p, p, 0, n) : tree_sum(X + a, y, 1, p, 0, n);
  }
  __syncthreads();
  double* x = g + p * width;
  if (threadIdx.x == 0) eliminate(g, x, p, 0);
  __syncthreads();
  for (int i = threadIdx.x; i < p; i += blockDim.x) beta[i] = (float)x[i];
}

extern "C" void solve(const float* X, const float* y, float* beta, int n_samples, int n_features) {
  cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10);
  double* g;
  cudaMalloc(&g, sizeof(double) * n_features * (n_features + 2));
  fit<<<1, 128>>>(X, y, beta, n_samples, n_features, g);
  cudaFree(g);
}
