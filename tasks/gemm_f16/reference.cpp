// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

// Rows of B are added to a row of C, so that the inner loop runs along memory. Used up to the
// rule's `full` multiplications; larger products are checked without it.
extern "C" void reference(const float* A, const float* B, double* C, int M, int N, int K) {
  for (int i = 0; i < M; ++i) {
    double* row = C + std::size_t(i) * N;
    std::fill(row, row + N, 0.0);
    for (int k = 0; k < K; ++k) {
      const double a = A[std::size_t(i) * K + k];
      const float* b = B + std::size_t(k) * N;
      for (int j = 0; j < N; ++j) row[j] += a * b[j];
    }
  }
}
