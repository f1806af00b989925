// SPDX-License-Identifier: Apache-2.0
#include "costs/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace warpwright::costs {

namespace {

constexpr std::size_t kMostTerms = 4;
constexpr double kGoodEnough = 0.005;
constexpr double kMatters = 1e-3;
constexpr double kSame = 1e-9;

/// Something that an amount may be proportional to, with its value at every sample.
struct Feature {
  std::string text;
  std::vector<double> at;
};

using Features = std::vector<Feature>;
using Chosen = std::vector<std::size_t>;

std::string times(const std::string& one, const std::string& other) {
  return one == "1" ? other : one + "*" + other;
}

/// Whether two features are the same but for a factor: the first of them will do.
bool proportional(const Feature& one, const Feature& other) {
  const double factor = one.at[0] / other.at[0];
  for (std::size_t i = 1; i < one.at.size(); ++i) {
    if (std::fabs(one.at[i] - factor * other.at[i]) > kSame * std::fabs(one.at[i])) return false;
  }
  return true;
}

/// Features that are finite and positive, each once; the simplest come first.
class Collection {
 public:
  explicit Collection(const std::vector<Sample>& samples) : samples_(samples) {}

  void add(const std::string& text) {
    Feature feature{text, {}};
    for (const Sample& sample : samples_) {
      const auto value = value_of(text, sample.values);
      if (!value.ok() || !(*value > 0)) return;
      feature.at.push_back(*value);
    }
    const bool known = std::any_of(features_.begin(), features_.end(), [&](const Feature& other) {
      return proportional(feature, other);
    });
    if (!known) features_.push_back(std::move(feature));
  }

  [[nodiscard]] const Features& features() const { return features_; }

 private:
  const std::vector<Sample>& samples_;
  Features features_;
};

/// Products of up to three names, and of a number of elements with one or two of them.
void add_products(Collection& collection, const std::vector<std::string>& names,
                  const std::vector<std::string>& counts) {
  std::vector<std::string> level = {"1"};
  collection.add("1");
  for (const std::string& count : counts) collection.add("(" + count + ")");
  for (int degree = 1; degree <= 3; ++degree) {
    std::vector<std::string> next;
    for (const std::string& product : level) {
      for (const std::string& name : names) next.push_back(times(product, name));
    }
    for (const std::string& product : next) collection.add(product);
    for (const std::string& count : counts) {
      if (degree == 3) break;
      for (const std::string& product : next) collection.add("(" + count + ")*" + product);
    }
    level = std::move(next);
  }
}

void add_logarithms(Collection& collection, const std::vector<std::string>& names) {
  const Features plain = collection.features();
  for (const std::string& name : names) {
    const std::string steps = "ceil(log2(" + name + " + 1))";
    for (const Feature& feature : plain) {
      if (feature.text.size() > 40) continue;
      collection.add(times(feature.text, steps));
      collection.add(times(feature.text, steps + "*" + steps));
    }
  }
}

/// Solves a small system; nothing where it has no single answer.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t r = column + 1; r < n; ++r) {
      if (std::fabs(rows[r][column]) > std::fabs(rows[pivot][column])) pivot = r;
    }
    if (!(std::fabs(rows[pivot][column]) > 1e-12)) return std::nullopt;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == column) continue;
      const double factor = rows[r][column] / rows[column][column];
      for (std::size_t c = column; c <= n; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  std::vector<double> answer;
  for (std::size_t r = 0; r < n; ++r) answer.push_back(rows[r][n] / rows[r][r]);
  return answer;
}

/// Factors of some features, and how far from the samples their sum is.
struct Solution {
  std::vector<double> factors;
  double squares = 0;  ///< of relative distances
  double worst = 0;
};

double distance_at(const Features& features, const Chosen& chosen,
                   const std::vector<double>& factors, const Sample& sample, std::size_t place) {
  double sum = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) sum += factors[k] * features[chosen[k]].at[place];
  return sum / sample.amount - 1;
}

Solution rated(const Features& features, const Chosen& chosen, std::vector<double> factors,
               const std::vector<Sample>& samples) {
  Solution solution{std::move(factors), 0, 0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double off = distance_at(features, chosen, solution.factors, samples[i], i);
    solution.squares += off * off;
    solution.worst = std::max(solution.worst, std::fabs(off));
  }
  return solution;
}

/// Least squares of relative distances; nothing where a factor would be negative.
std::optional<Solution> least_squares(const Features& features, const Chosen& chosen,
                                      const std::vector<Sample>& samples) {
  const std::size_t n = chosen.size();
  std::vector<double> scale;
  for (const std::size_t each : chosen) {
    double largest = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
      largest = std::max(largest, features[each].at[i] / samples[i].amount);
    scale.push_back(largest);
  }
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1, 0));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t a = 0; a < n; ++a) {
      const double left = features[chosen[a]].at[i] / samples[i].amount / scale[a];
      for (std::size_t b = 0; b < n; ++b)
        rows[a][b] += left * features[chosen[b]].at[i] / samples[i].amount / scale[b];
      rows[a][n] += left;
    }
  }
  auto factors = solve(std::move(rows));
  if (!factors) return std::nullopt;
  for (std::size_t a = 0; a < n; ++a) {
    (*factors)[a] /= scale[a];
    if (!((*factors)[a] > 0)) return std::nullopt;
  }
  return rated(features, chosen, std::move(*factors), samples);
}

/// The feature whose addition helps most. Of equals the first, which is the simplest.
bool add_best(const Features& features, const std::vector<Sample>& samples, Chosen& chosen,
              Solution& solution) {
  std::optional<Solution> best;
  std::size_t at = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
    Chosen with = chosen;
    with.push_back(i);
    auto tried = least_squares(features, with, samples);
    if (!tried || (best && tried->squares >= 0.99 * best->squares)) continue;
    best = std::move(tried);
    at = i;
  }
  // A term that hardly helps is noise of the samples.
  if (!best || (!chosen.empty() && best->squares > 0.8 * solution.squares)) return false;
  chosen.push_back(at);
  solution = std::move(*best);
  return true;
}

/// 8.003 is 8, and nobody wants to read 12.345678.
double rounded(double factor) {
  const double whole = std::round(factor);
  if (whole >= 1 && std::fabs(factor - whole) <= 0.002 * factor) return whole;
  const double digits = std::pow(10, std::floor(std::log10(factor)) - 3);
  return std::round(factor / digits) * digits;
}

std::string text_of(const Features& features, const Chosen& chosen,
                    const std::vector<double>& factors) {
  std::string text;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (!text.empty()) text += " + ";
    const std::string& feature = features[chosen[k]].text;
    const std::string factor = fmt::format("{:.12g}", factors[k]);
    text += feature == "1" ? factor : factor == "1" ? feature : factor + "*" + feature;
  }
  return text;
}

Fit best_of(const Features& features, const std::vector<Sample>& samples) {
  Chosen chosen;
  Solution solution;
  while (chosen.size() < std::min(kMostTerms, samples.size() - 1)) {
    if (!add_best(features, samples, chosen, solution)) break;
    if (solution.worst <= kGoodEnough) break;
  }
  if (chosen.empty()) return {"0", 1};
  for (double& factor : solution.factors) factor = rounded(factor);
  solution = rated(features, chosen, std::move(solution.factors), samples);
  return {text_of(features, chosen, solution.factors), solution.worst};
}

}  // namespace

Result<Fit> fit(const std::vector<Sample>& samples, const std::vector<std::string>& names,
                const std::vector<std::string>& counts) {
  double largest = 0;
  for (const Sample& sample : samples) largest = std::max(largest, sample.amount);
  if (samples.empty()) return Error{"nothing was counted"};
  if (largest == 0) return Fit{"0", 0};
  std::vector<Sample> mattering;
  for (const Sample& sample : samples) {
    if (sample.amount >= kMatters * largest) mattering.push_back(sample);
  }
  if (mattering.size() < 2) return Fit{fmt::format("{:.12g}", largest), 0};
  Collection collection(mattering);
  add_products(collection, names, counts);
  Fit plain = best_of(collection.features(), mattering);
  if (plain.worst <= 10 * kGoodEnough) return plain;
  add_logarithms(collection, names);
  Fit other = best_of(collection.features(), mattering);
  return other.worst < 0.5 * plain.worst ? other : plain;
}

}  // namespace warpwright::costs
