// SPDX-License-Identifier: Apache-2.0
#include "flops/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpwright::flop {

Formula Formula::name(const std::string& text) {
  Formula formula;
  formula.terms_[{text}] = 1;
  return formula;
}

std::optional<double> Formula::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

bool Formula::is_small() const {
  constexpr std::size_t kMostTerms = 32, kMostLetters = 600;
  if (terms_.size() > kMostTerms) return false;
  std::size_t letters = 0;
  for (const auto& [names, factor] : terms_) {
    for (const std::string& each : names) letters += each.size() + 1;
  }
  return letters <= kMostLetters;
}

std::string Formula::text() const {
  if (terms_.empty()) return "0";
  std::string text;
  // What depends on most names first.
  std::vector<std::pair<std::vector<std::string>, double>> sorted(terms_.begin(), terms_.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [names, factor] : sorted) {
    const double size = std::abs(factor);
    if (text.empty()) {
      text += factor < 0 ? "-" : "";
    } else {
      text += factor < 0 ? " - " : " + ";
    }
    std::string product = size != 1 || names.empty() ? fmt::format("{:.12g}", size) : "";
    for (const std::string& name : names) product += (product.empty() ? "" : "*") + name;
    text += product;
  }
  return text;
}

Formula Formula::divided(double by, bool up) const {
  if (by == 1) return *this;
  if (const auto value = number()) return up ? std::ceil(*value / by) : std::floor(*value / by);
  const bool whole = std::all_of(terms_.begin(), terms_.end(),
                                 [&](const auto& term) { return std::fmod(term.second, by) == 0; });
  if (whole) return *this * Formula(1 / by);
  return name(fmt::format("{}(({})/{:.12g})", up ? "ceil" : "floor", text(), by));
}

Formula& Formula::operator+=(const Formula& other) {
  for (const auto& [names, factor] : other.terms_) {
    double& sum = terms_[names];
    sum += factor;
    if (sum == 0) terms_.erase(names);
  }
  return *this;
}

Formula operator*(const Formula& a, const Formula& b) {
  Formula product;
  for (const auto& [names, factor] : a.terms_) {
    for (const auto& [others, times] : b.terms_) {
      std::vector<std::string> both = names;
      both.insert(both.end(), others.begin(), others.end());
      std::sort(both.begin(), both.end());
      double& sum = product.terms_[both];
      sum += factor * times;
      if (sum == 0) product.terms_.erase(both);
    }
  }
  return product;
}

}  // namespace warpwright::flop
