// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

// Normal equations in double: conditions up to 1e4 leave more digits than a float can show.
extern "C" void reference(const float* X, const float* y, double* beta, int n_samples,
                          int n_features) {
  const int p = n_features;
  const int width = p + 1;
  std::vector<double> gram(std::size_t(p) * width);
  std::vector<double> row(width);
  for (int i = 0; i < n_samples; ++i) {
    for (int j = 0; j < p; ++j) row[j] = X[std::size_t(i) * p + j];
    row[p] = y[i];
    for (int j = 0; j < p; ++j) {
      for (int k = j; k <= p; ++k) gram[std::size_t(j) * width + k] += row[j] * row[k];
    }
  }
  for (int j = 0; j < p; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = j; i <= p; ++i) gram[j * width + i] -= gram[k * width + j] * gram[k * width + i];
    }
    const double root = std::sqrt(gram[j * width + j]);
    for (int i = j; i <= p; ++i) gram[j * width + i] /= root;
  }
  for (int j = p - 1; j >= 0; --j) {
    double sum = gram[j * width + p];
    for (int k = j + 1; k < p; ++k) sum -= gram[j * width + k] * beta[k];
    beta[j] = sum / gram[j * width + j];
  }
}
