// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace warpwright::tune {

/// A Gaussian process with a Matern 5/2 kernel, one length per coordinate, over a few hundred
/// observations. Values are centred and scaled inside.
class Surrogate {
 public:
  struct Observation {
    const std::vector<double>* at;
    double value;
    double error;  ///< standard error of the value
  };
  Surrogate(const std::vector<Observation>& observations, const std::vector<double>& scale);

  /// The logarithm of the marginal likelihood.
  [[nodiscard]] double likelihood() const { return likelihood_; }
  /// The expected value there, and an upper bound on its standard deviation: from the nearest
  /// observation alone.
  struct Prediction {
    double mean = 0;
    double deviation = 0;
  };
  [[nodiscard]] Prediction at(const std::vector<double>& place) const;

 private:
  [[nodiscard]] double kernel(const std::vector<double>& a, const std::vector<double>& b) const;

  const std::vector<Observation>& observations_;
  const std::vector<double>& scale_;
  double centre_ = 0;
  double spread_ = 1;
  std::vector<double> weights_;
  double likelihood_ = 0;
};

/// Chooses 1 / length per coordinate by likelihood, one coordinate at a time, from `scale` on.
std::vector<double> fitted_scale(const std::vector<Surrogate::Observation>& observations,
                                 std::vector<double> scale);

}  // namespace warpwright::tune
