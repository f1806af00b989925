// SPDX-License-Identifier: Apache-2.0
// Normal equations in double: conditions up to 1e4 leave more digits than a float can show. Row j of
// the Gram matrix has p + 1 columns; the last is X^T y.
constexpr int kTile = 32;
constexpr int kPairs = 9;  // per thread: 64 features have 64*65/2 + 64 of them
constexpr int kMostWidth = 65;

__device__ void pair_of(int number, int width, int& j, int& k) {
  j = 0;
  while (number >= width - j) number -= width - j++;
  k = j + number;
}

__global__ void products(const float* X, const float* y, double* gram, int n, int p) {
  __shared__ double rows[kTile][kMostWidth];
  const int width = p + 1, pairs = p * (p + 1) / 2 + p;
  double sum[kPairs] = {};
  int left[kPairs], right[kPairs];
  for (int i = 0; i < kPairs; ++i) {
    const int number = threadIdx.x + i * kBlock;
    left[i] = right[i] = 0;
    if (number < pairs) pair_of(number, width, left[i], right[i]);
  }
  for (u64 first = u64(blockIdx.x) * kTile; first < u64(n); first += u64(gridDim.x) * kTile) {
    __syncthreads();
    for (int at = threadIdx.x; at < kTile * width; at += kBlock) {
      const u64 row = first + at / width;
      const int column = at % width;
      rows[at / width][column] = row >= u64(n) ? 0.0 : column < p ? X[row * p + column] : y[row];
    }
    __syncthreads();
    for (int i = 0; i < kPairs; ++i) {
      if (int(threadIdx.x) + i * kBlock >= pairs) break;
      for (int r = 0; r < kTile; ++r) sum[i] += rows[r][left[i]] * rows[r][right[i]];
    }
  }
  for (int i = 0; i < kPairs; ++i)
    if (int(threadIdx.x) + i * kBlock < pairs) atomicAdd(&gram[left[i] * width + right[i]], sum[i]);
}

// Cholesky, and the two triangular systems.
__global__ void solve_equations(double* gram, double* beta, int p) {
  const int width = p + 1;
  for (int j = 0; j < p; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i <= p; ++i) gram[j * width + i] -= gram[k * width + j] * gram[k * width + i];
    const double root = sqrt(gram[j * width + j]);
    for (int i = j; i <= p; ++i) gram[j * width + i] /= root;
  }
  for (int j = p - 1; j >= 0; --j) {
    double sum = gram[j * width + p];
    for (int k = j + 1; k < p; ++k) sum -= gram[j * width + k] * beta[k];
    beta[j] = sum / gram[j * width + j];
  }
}

extern "C" void reference(const float* X, const float* y, double* beta, int n_samples, int n_features, const u64* choice) {
  const u64 entries = u64(n_features) * (n_features + 1);
  double* gram = nullptr;
  cudaMalloc(&gram, sizeof(double) * entries);
  set_to_zero(gram, entries);
  const int tiles = (n_samples + kTile - 1) / kTile;
  products<<<tiles < 1024 ? tiles : 1024, kBlock>>>(X, y, gram, n_samples, n_features);
  solve_equations<<<1, 1>>>(gram, beta, n_features);
  cudaFree(gram);
}
