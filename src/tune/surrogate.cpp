// SPDX-License-Identifier: Apache-2.0
#include "tune/surrogate.h"

#include <algorithm>
#include <cmath>

namespace warpwright::tune {

namespace {

constexpr double kNoise = 1e-3;  // of the variance: keeps the matrix well away from singular

/// In place, the lower triangle of a symmetric n x n matrix; its rows are n apart.
void factorise(std::vector<double>& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = matrix.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = matrix.data() + j * n;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / other[j];
    }
  }
}

}  // namespace

Surrogate::Surrogate(const std::vector<Observation>& observations, const std::vector<double>& scale)
    : observations_(observations), scale_(scale) {
  const std::size_t n = observations.size();
  for (const auto& o : observations) centre_ += o.value / static_cast<double>(n);
  double variance = 0;
  for (const auto& o : observations) {
    variance += (o.value - centre_) * (o.value - centre_) / static_cast<double>(n);
  }
  spread_ = std::max(std::sqrt(variance), 1e-6);
  std::vector<double> matrix(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i * n + j] = kernel(*observations[i].at, *observations[j].at);
    }
    const double error = observations[i].error / spread_;
    matrix[i * n + i] = 1 + kNoise + error * error;
  }
  factorise(matrix, n);
  weights_.resize(n);
  double logarithm = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = (observations[i].value - centre_) / spread_;
    for (std::size_t k = 0; k < i; ++k) sum -= matrix[i * n + k] * weights_[k];
    weights_[i] = sum / matrix[i * n + i];
    squares += weights_[i] * weights_[i];
    logarithm += std::log(matrix[i * n + i]);
  }
  for (std::size_t i = n; i-- > 0;) {
    double sum = weights_[i];
    for (std::size_t k = i + 1; k < n; ++k) sum -= matrix[k * n + i] * weights_[k];
    weights_[i] = sum / matrix[i * n + i];
  }
  likelihood_ = -0.5 * squares - logarithm;
}

double Surrogate::kernel(const std::vector<double>& a, const std::vector<double>& b) const {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = (a[i] - b[i]) * scale_[i];
    squares += d * d;
  }
  const double r = std::sqrt(5 * squares);
  return (1 + r + r * r / 3) * std::exp(-r);
}

Surrogate::Prediction Surrogate::at(const std::vector<double>& place) const {
  double sum = 0, nearest = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double likeness = kernel(place, *observations_[i].at);
    sum += weights_[i] * likeness;
    nearest = std::max(nearest, likeness);
  }
  return {centre_ + spread_ * sum, spread_ * std::sqrt(std::max(0.0, 1 - nearest * nearest))};
}

std::vector<double> fitted_scale(const std::vector<Surrogate::Observation>& observations,
                                 std::vector<double> scale) {
  constexpr double kChoices[] = {0.1, 0.5, 1, 2, 4};
  double best = Surrogate(observations, scale).likelihood();
  for (int turn = 0; turn < 2; ++turn) {
    for (double& one : scale) {
      double kept = one;
      for (const double choice : kChoices) {
        one = choice;
        const double likelihood = Surrogate(observations, scale).likelihood();
        if (likelihood > best + 1e-9) {
          best = likelihood;
          kept = choice;
        }
      }
      one = kept;
    }
  }
  return scale;
}

}  // namespace warpwright::tune
