// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int kRowsPerBlock = 1024;

// Adds this block's rows to the p x (p + 1) matrix [X^T X | X^T y]; a thread takes whole entries.
__device__ void add_products(const float* x, const float* y, float* gram, int n, int p) {
  const int first = blockIdx.x * kRowsPerBlock;
  const int last = first + kRowsPerBlock < n ? first + kRowsPerBlock : n;
  for (int entry = threadIdx.x; entry < p * (p + 1); entry += blockDim.x) {
    const int row = entry / (p + 1);
    const int col = entry % (p + 1);
    if (col < row) continue;
    float sum = 0.0f;
    for (int i = first; i < last; ++i) {
      const float right = col < p ? x[(size_t)i * p + col] : y[i];
      sum += x[(size_t)i * p + row] * right;
    }
    atomicAdd(&gram[entry], sum);
  }
}

// Cholesky factorisation and the two triangular systems, by one thread.
__device__ void solve_normal_equations(float* gram, float* beta, int p) {
  const int width = p + 1;
  for (int j = 0; j < p; ++j) {
    double diagonal = gram[j * width + j];
    for (int k = 0; k < j; ++k) diagonal -= (double)gram[k * width + j] * gram[k * width + j];
    const double root = sqrt(diagonal);
    gram[j * width + j] = (float)root;
    for (int i = j + 1; i <= p; ++i) {  // column p is the right-hand side: it is solved on the way
      double sum = gram[j * width + i];
      for (int k = 0; k < j; ++k) sum -= (double)gram[k * width + j] * gram[k * width + i];
      gram[j * width + i] = (float)(sum / root);
    }
  }
  for (int j = p - 1; j >= 0; --j) {
    double sum = gram[j * width + p];
    for (int k = j + 1; k < p; ++k) sum -= (double)gram[j * width + k] * beta[k];
    beta[j] = (float)(sum / gram[j * width + j]);
  }
}

__global__ void least_squares(const float* x, const float* y, float* beta, float* gram, int n, int p, bool finish) {
  if (!finish) {
    add_products(x, y, gram, n, p);
  } else if (threadIdx.x == 0) {
    solve_normal_equations(gram, beta, p);
  }
}

extern "C" void solve(const float* X, const float* y, float* beta, int n_samples, int n_features) {
  const size_t bytes = (size_t)n_features * (n_features + 1) * sizeof(float);
  float* gram = nullptr;
  cudaMalloc((void**)&gram, bytes);
  cudaMemsetAsync(gram, 0, bytes);
  const int blocks = (n_samples + kRowsPerBlock - 1) / kRowsPerBlock;
  least_squares<<<blocks, 128>>>(X, y, beta, gram, n_samples, n_features, false);
  least_squares<<<1, 32>>>(X, y, beta, gram, n_samples, n_features, true);
  cudaFree(gram);
}
