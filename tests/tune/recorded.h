// SPDX-License-Identifier: Apache-2.0
// Spaces that were tried out once and written down, and strategies of kernel_tuner, restated, that
// walk through them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/mix.h"
#include "base/text.h"
#include "tune/space.h"

namespace warpwright::tune {

/// A table as `warpwright tune --all --table` writes it, beside the source that it belongs to.
struct Recorded {
  Space space;
  std::map<Point, std::optional<double>> us;
  double best = 1e300;

  [[nodiscard]] std::optional<double> at(const Point& point) const { return us.at(point); }
};

inline Result<Recorded> read_recorded(const std::string& source, const std::string& table) {
  WW_TRY(const std::string code, read_file(source, std::size_t{1} << 20));
  WW_TRY(const std::string text, read_file(table, std::size_t{1} << 22));
  Recorded recorded;
  WW_TRY(recorded.space, Space::parse(code));
  const auto& parameters = recorded.space.parameters();
  bool head = true;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with('#') || line.empty()) continue;
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (cells.size() != parameters.size() + 2) return Error{"a line of " + table + " is short"};
    if (std::exchange(head, false)) continue;
    Point point;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& values = parameters[i].values;
      const auto found = std::find(values.begin(), values.end(), cells[i]);
      if (found == values.end()) return Error{table + " has a value that the source lacks"};
      point.push_back(static_cast<std::size_t>(found - values.begin()));
    }
    auto& us = recorded.us[point];
    if (!cells.back().empty()) us = std::atof(cells.back().c_str());
    if (us) recorded.best = std::min(recorded.best, *us);
  }
  if (recorded.us.size() != recorded.space.points().size()) return Error{table + " lacks points"};
  return recorded;
}

/// Counts distinct configurations, as a tuner with a cache does, and keeps the best.
class Walk {
 public:
  Walk(const Recorded& recorded, std::size_t budget, std::uint64_t seed)
      : recorded_(recorded), points_(recorded.space.points()), budget_(budget), state_(seed * 77) {}

  [[nodiscard]] bool over() const { return seen_.size() >= budget_; }
  double at(const Point& point) {
    if (!over()) seen_.insert(point);
    const double us = recorded_.at(point).value_or(1e9);
    if (seen_.contains(point)) best_ = std::min(best_, us);
    return us;
  }
  std::size_t draw(std::size_t below) { return mixed_bits(state_ += kMixStep) % below; }
  double drawn() { return static_cast<double>(draw(1u << 30)) / (1u << 30); }
  const Point& anywhere() { return points_[draw(points_.size())]; }
  /// All that differ in one parameter, in a drawn order.
  std::vector<Point> neighbours(const Point& point) {
    std::vector<Point> all;
    for (std::size_t p = 0; p < point.size(); ++p) {
      for (std::size_t v = 0; v < recorded_.space.parameters()[p].values.size(); ++v) {
        Point other = point;
        other[p] = v;
        if (v != point[p] && recorded_.us.contains(other)) all.push_back(other);
      }
    }
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[draw(i)]);
    return all;
  }
  [[nodiscard]] bool known(const Point& point) const { return recorded_.us.contains(point); }
  [[nodiscard]] double best() const { return best_; }

 private:
  const Recorded& recorded_;
  std::vector<Point> points_;
  std::size_t budget_;
  std::uint64_t state_;
  std::set<Point> seen_;
  double best_ = 1e300;
};

inline void random_sample(Walk& walk) {
  while (!walk.over()) walk.at(walk.anywhere());
}

/// Greedy multi-start local search: the first better neighbour at once, a new start at the bottom.
inline void greedy_local_search(Walk& walk) {
  while (!walk.over()) {
    Point here = walk.anywhere();
    double us = walk.at(here);
    for (bool moved = true; moved && !walk.over();) {
      moved = false;
      for (const Point& other : walk.neighbours(here)) {
        if (walk.over()) break;
        const double other_us = walk.at(other);
        if (other_us >= us) continue;
        here = other;
        us = other_us;
        moved = true;
        break;
      }
    }
  }
}

/// Simulated annealing: T from 1 down to 0.001 by 0.995, acceptance by the relative loss.
inline void simulated_annealing(Walk& walk) {
  Point here = walk.anywhere();
  double us = walk.at(here), heat = 1;
  for (int turn = 0; !walk.over() && turn < 100'000; ++turn) {
    const auto neighbours = walk.neighbours(here);
    const Point& other = neighbours.empty() ? walk.anywhere() : neighbours[0];
    const double other_us = walk.at(other);
    if (other_us < us || walk.drawn() < std::exp(-(other_us / us - 1) / heat)) {
      here = other;
      us = other_us;
    }
    heat *= 0.995;
    if (heat < 0.001) {
      heat = 1;
      here = walk.anywhere();
      us = walk.at(here);
    }
  }
}

/// A genetic algorithm: 20 individuals, ranked parents, uniform crossover, mutation of one in ten.
inline void genetic_algorithm(Walk& walk) {
  constexpr std::size_t kPopulation = 20;
  std::vector<std::pair<double, Point>> population;
  for (std::size_t i = 0; i < kPopulation; ++i) {
    const Point point = walk.anywhere();
    population.emplace_back(walk.at(point), point);
  }
  for (int turn = 0; !walk.over() && turn < 1000; ++turn) {
    std::sort(population.begin(), population.end());
    std::vector<std::pair<double, Point>> next(population.begin(), population.begin() + 2);
    while (next.size() < kPopulation && !walk.over()) {
      const auto parent = [&] {
        return population[std::min(walk.draw(kPopulation), walk.draw(kPopulation))].second;
      };
      Point child = parent();
      const Point other = parent();
      for (std::size_t p = 0; p < child.size(); ++p) {
        if (walk.draw(2) == 0) child[p] = other[p];
      }
      if (walk.draw(10) == 0 || !walk.known(child)) {
        const auto near = walk.known(child) ? walk.neighbours(child) : std::vector<Point>();
        child = near.empty() ? walk.anywhere() : near[0];
      }
      next.emplace_back(walk.at(child), child);
    }
    population.resize(next.size());
    population = next;
    while (population.size() < kPopulation) population.push_back(population[0]);
  }
}

}  // namespace warpwright::tune
