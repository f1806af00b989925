// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tune/space.h"

namespace warpwright::tune {

/// What became of a configuration: a time with its standard error, relative to it, or a failure.
struct Told {
  std::optional<double> us;
  double error = 0;
};

/// Chooses which configurations to try. Deterministic: what it chooses depends on the space, the
/// budget, the seed and what it was told, never on the order of replies within a batch.
///
/// It begins with configurations that lie far apart, then goes by a model of what is lost to the
/// best (a Gaussian process over the parameters) and by steps away from the best; in the last
/// quarter of the budget half are steps, and the model tells finer.
class Tuner {
 public:
  Tuner(const Space& space, std::size_t budget, std::uint64_t seed);

  /// The next batch; empty when the budget is spent or everything was tried.
  std::vector<Point> next();
  /// One answer for each configuration of a batch, before the next batch.
  void tell(const Point& point, const Told& told);

  [[nodiscard]] std::size_t evaluations() const { return told_.size(); }
  /// Of those told; none: all failed.
  [[nodiscard]] std::optional<Point> best() const;

 private:
  using Coordinates = std::vector<double>;

  std::vector<std::size_t> spread_out(std::size_t count);
  std::vector<std::size_t> by_model(std::size_t count, bool steps_only);
  [[nodiscard]] std::vector<std::size_t> unseen_steps() const;
  void add_unseen(const Point& point, std::vector<std::size_t>& to) const;
  void add_single_steps(const Point& from, std::vector<std::size_t>& to) const;
  void add_joint_steps(Point& point, std::size_t first, int most, int moved,
                       std::vector<std::size_t>& to) const;
  [[nodiscard]] std::vector<std::size_t> unseen() const;
  std::uint64_t draw();

  const Space& space_;
  std::size_t budget_;
  std::uint64_t state_;
  std::vector<Point> points_;
  std::vector<Coordinates> coordinates_;
  std::map<Point, std::size_t> index_;
  std::vector<bool> asked_;
  std::size_t asked_count_ = 0;
  std::vector<std::pair<std::size_t, Told>> told_;
  std::vector<double> scale_;  ///< the model's 1 / length per parameter
  std::size_t fitted_ = 0;     ///< answers when the scale was last chosen
};

}  // namespace warpwright::tune
