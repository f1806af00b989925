// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/assert.h"
#include "base/mix.h"
#include "tune/surrogate.h"

namespace warpwright::tune {

namespace {

constexpr std::size_t kLeastBatch = 4;
constexpr std::size_t kMostModelled = 400;     // answers that the model looks at, the latest first
constexpr std::size_t kMostCandidates = 4000;  // configurations that it rates per batch
constexpr double kFailurePenalty = 1.5;        // times the slowest
// The model sees the logarithm of what is lost to the best, so that it tells the good ones apart;
// less than this share of the time does not count, and at last less than the finer one.
constexpr double kResolution = 0.01;
constexpr double kFineResolution = 0.001;

/// Where the values of one parameter lie in [0, 1]: powers of two are equally far apart.
std::vector<double> places_of(const Parameter& parameter) {
  const std::size_t n = parameter.values.size();
  std::vector<double> places(n, 0);
  if (n < 2) return places;
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = static_cast<double>(i) / static_cast<double>(n - 1);
  }
  if (!parameter.numeric) return places;
  const double first = std::strtod(parameter.values.front().c_str(), nullptr);
  const double last = std::strtod(parameter.values.back().c_str(), nullptr);
  const bool wide = first > 0 && last >= 4 * first;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = std::strtod(parameter.values[i].c_str(), nullptr);
    places[i] =
        wide ? std::log(value / first) / std::log(last / first) : (value - first) / (last - first);
  }
  return places;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return squares;
}

}  // namespace

Tuner::Tuner(const Space& space, std::size_t budget, std::uint64_t seed)
    : space_(space), budget_(budget), state_(mixed_bits(seed + 1)), points_(space.points()) {
  std::vector<std::vector<double>> places;
  for (const Parameter& parameter : space.parameters()) places.push_back(places_of(parameter));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Coordinates at;
    for (std::size_t p = 0; p < places.size(); ++p) at.push_back(places[p][points_[i][p]]);
    coordinates_.push_back(std::move(at));
    index_[points_[i]] = i;
  }
  asked_.resize(points_.size(), false);
  budget_ = std::min(budget_, points_.size());
  scale_.assign(space.parameters().size(), 1.0);
}

std::uint64_t Tuner::draw() { return mixed_bits(state_ += kMixStep); }

std::vector<Point> Tuner::next() {
  ASSERT(told_.size() == asked_count_, "a batch has answers before the next one");
  if (asked_count_ >= budget_) return {};
  const std::size_t left = budget_ - asked_count_;
  std::vector<std::size_t> chosen;
  if (asked_count_ == 0) {
    const std::size_t first = std::max(kLeastBatch, 2 * space_.parameters().size() + 2);
    chosen = spread_out(std::min({first, std::max(kLeastBatch, budget_ / 3), left}));
  } else {
    const std::size_t batch = std::min(std::max(kLeastBatch, budget_ / 16), left);
    chosen = by_model(batch, 4 * left <= budget_);
  }
  std::vector<Point> batch;
  for (const std::size_t index : chosen) batch.push_back(points_[index]);
  asked_count_ += batch.size();
  return batch;
}

void Tuner::tell(const Point& point, const Told& told) {
  const auto found = index_.find(point);
  ASSERT(found != index_.end(), "an answer to a configuration of this space");
  told_.emplace_back(found->second, told);
}

std::optional<Point> Tuner::best() const {
  const std::pair<std::size_t, Told>* best = nullptr;
  for (const auto& one : told_) {
    if (one.second.us && (best == nullptr || *one.second.us < *best->second.us)) best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(points_[best->first]);
}

std::vector<std::size_t> Tuner::unseen() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!asked_[i]) all.push_back(i);
  }
  return all;
}

/// The given one, then each time the one of a few drawn ones that is farthest from all chosen.
std::vector<std::size_t> Tuner::spread_out(std::size_t count) {
  constexpr int kDrawn = 24;
  std::vector<std::size_t> chosen = {index_.at(space_.given())};
  asked_[chosen[0]] = true;
  while (chosen.size() < count) {
    const auto rest = unseen();
    std::size_t best = rest[0];
    double farthest = -1;
    for (int i = 0; i < kDrawn; ++i) {
      const std::size_t candidate = rest[draw() % rest.size()];
      double nearest = 1e9;
      for (const std::size_t other : chosen) {
        nearest = std::min(nearest, distance(coordinates_[candidate], coordinates_[other]));
      }
      if (nearest > farthest) {
        farthest = nearest;
        best = candidate;
      }
    }
    asked_[best] = true;
    chosen.push_back(best);
  }
  return chosen;
}

/// Adds a configuration of the space that was not asked for, once.
void Tuner::add_unseen(const Point& point, std::vector<std::size_t>& to) const {
  const auto found = index_.find(point);
  if (found == index_.end() || asked_[found->second]) return;
  if (std::find(to.begin(), to.end(), found->second) == to.end()) to.push_back(found->second);
}

void Tuner::add_single_steps(const Point& from, std::vector<std::size_t>& to) const {
  for (std::size_t p = 0; p < from.size(); ++p) {
    Point point = from;
    for (std::size_t v = 0; v < space_.parameters()[p].values.size(); ++v) {
      point[p] = v;
      if (v != from[p]) add_unseen(point, to);
    }
  }
}

/// Up to `most` of the parameters from `first` on by one value each, beside `moved` that were: a
/// tile that grows one way and shrinks the other keeps its size, and every single step there is
/// slower.
void Tuner::add_joint_steps(Point& point, std::size_t first, int most, int moved,
                            std::vector<std::size_t>& to) const {
  if (moved > 1) add_unseen(point, to);
  if (moved == most) return;
  for (std::size_t p = first; p < point.size(); ++p) {
    const std::size_t here = point[p];
    if (here > 0) {
      point[p] = here - 1;
      add_joint_steps(point, p + 1, most, moved + 1, to);
    }
    point[p] = here + 1;  // one behind the last value is in no space
    add_joint_steps(point, p + 1, most, moved + 1, to);
    point[p] = here;
  }
}

/// Configurations that differ in one parameter from the best or from the two behind it, or in two
/// or three neighbouring values from the best.
std::vector<std::size_t> Tuner::unseen_steps() const {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const auto& [index, told] : told_) {
    if (told.us) ranked.emplace_back(*told.us, index);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > 3) ranked.resize(3);
  std::vector<std::size_t> steps;
  for (const auto& [us, index] : ranked) add_single_steps(points_[index], steps);
  if (!ranked.empty()) {
    Point best = points_[ranked.front().second];
    add_joint_steps(best, 0, 3, 0, steps);
  }
  return steps;
}

std::vector<std::size_t> Tuner::by_model(std::size_t count, bool steps_only) {
  double fastest = 1e300, slowest = 0;
  for (const auto& [index, told] : told_) {
    if (!told.us) continue;
    fastest = std::min(fastest, *told.us);
    slowest = std::max(slowest, *told.us);
  }
  std::vector<Surrogate::Observation> observations;
  const std::size_t from = told_.size() > kMostModelled ? told_.size() - kMostModelled : 0;
  for (std::size_t i = from; i < told_.size(); ++i) {
    const auto& [index, told] = told_[i];
    const double us = told.us.value_or(slowest > 0 ? kFailurePenalty * slowest : fastest);
    const double lost = us / fastest - 1 + (steps_only ? kFineResolution : kResolution);
    observations.push_back({&coordinates_[index], std::log(lost), told.us ? told.error / lost : 0});
  }
  if (steps_only || 3 * fitted_ < 2 * told_.size()) {
    scale_ = fitted_scale(observations, scale_);
    fitted_ = told_.size();
  }
  const Surrogate model(observations, scale_);
  std::vector<std::size_t> all = unseen();
  while (all.size() > kMostCandidates) {  // a drawn part of a large space
    all[draw() % all.size()] = all.back();
    all.pop_back();
  }
  std::map<std::size_t, Surrogate::Prediction> predicted;
  std::vector<std::size_t> chosen;
  const auto take_best = [&](const std::vector<std::size_t>& candidates, double boldness) {
    std::optional<std::size_t> best;
    double least = 1e300;
    for (const std::size_t candidate : candidates) {
      if (asked_[candidate]) continue;
      auto found = predicted.find(candidate);
      if (found == predicted.end()) {
        found = predicted.emplace(candidate, model.at(coordinates_[candidate])).first;
      }
      const double value = found->second.mean - boldness * found->second.deviation;
      if (value < least) {
        least = value;
        best = candidate;
      }
    }
    if (!best) return false;
    asked_[*best] = true;
    chosen.push_back(*best);
    return true;
  };
  const auto steps = unseen_steps();
  constexpr double kBoldness[] = {0, 1, 2, 4};
  for (std::size_t slot = 0; chosen.size() < count; ++slot) {
    const bool step = steps_only ? slot % 2 == 0 : slot % 4 == 0;
    if (step && take_best(steps, 0)) continue;
    if (!take_best(all, steps_only ? 0 : kBoldness[slot % 4]) && !take_best(unseen(), 0)) break;
  }
  return chosen;
}

}  // namespace warpwright::tune
