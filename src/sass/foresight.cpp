// SPDX-License-Identifier: Apache-2.0
#include "sass/foresight.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sass/forecast.h"

namespace warpwright::sass {

namespace {

constexpr std::array<double, 3> kLoadCycles = {33, 270, 600};
// As parts of the forecast; many short tries find more than one long one.
constexpr double kWarmest = 0.02, kCoolest = 0.0005;
constexpr int kForecastSteps = 240;
constexpr int kLoopRounds = 2;  // of a loop: the second one meets what the first has left under way

/// One loop, or a block that is in none, whose orders are changed.
class Foresight {
 public:
  Foresight(const Kernel& kernel, const Schedule& from, const Region& region, Random& random)
      : kernel_(kernel), random_(random), global_cycles_(kLoadCycles[random() % 3]) {
    blocks_ = {region.block};
    for (const auto& loop : innermost_loops(kernel.function()))
      if (std::find(loop.begin(), loop.end(), region.block) != loop.end()) {
        blocks_ = loop;
        loops_ = true;
      }
    for (const Region& each : kernel.regions())
      if (std::find(blocks_.begin(), blocks_.end(), each.block) != blocks_.end())
        regions_.push_back(each);
    orders_ = from.orders;
    stalls_.resize(orders_.size());
    steps_.resize(orders_.size());
    for (const std::size_t b : blocks_)
      for (std::uint32_t i = 0; i < orders_[b].size(); ++i)
        steps_[b].push_back(forecast_step(kernel.at(b, i), global_cycles_));
  }

  /// The orders with the shortest forecast; nothing where none is shorter than the first.
  std::optional<std::vector<Order>> run() {
    for (const std::size_t b : blocks_)
      if (!retime(b)) return std::nullopt;
    const double first = cycles();
    double now = first, best = first;
    std::optional<std::vector<Order>> found;
    const double cooling = std::pow(kCoolest / kWarmest, 1.0 / kForecastSteps);
    double heat = kWarmest * first;
    for (int step = 0; step < kForecastSteps; ++step, heat *= cooling) {
      const std::size_t block = slide();
      if (block == kNone) continue;
      const double next = retime(block) ? cycles() : -1;
      if (next < 0 || (next > now && unit() >= std::exp((now - next) / heat))) {
        undo(block);
        continue;
      }
      now = next;
      if (now >= best) continue;
      best = now;
      found = orders_;
    }
    return found;
  }

  [[nodiscard]] int global_cycles() const { return static_cast<int>(global_cycles_); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  bool retime(std::size_t block) {
    auto stalls = stalls_of(kernel_.function(), kernel_.graphs()[block], orders_[block]);
    if (!stalls) return false;
    stalls_[block] = std::move(*stalls);
    return true;
  }

  [[nodiscard]] double cycles() const {
    Forecast forecast(global_cycles_);
    double before = 0;
    for (int round = 0; round < (loops_ ? kLoopRounds : 1); ++round) {
      before = forecast.now();
      for (const std::size_t b : blocks_)
        for (std::size_t i = 0; i < orders_[b].size(); ++i)
          forecast.issue(steps_[b][orders_[b][i]], stalls_[b][i]);
    }
    return forecast.now() - before;
  }

  const Region& any_region() {
    std::size_t total = 0;
    for (const Region& region : regions_) total += region.size() - 1;
    std::size_t drawn = random_() % total;
    for (const Region& region : regions_) {
      if (drawn < region.size() - 1) return region;
      drawn -= region.size() - 1;
    }
    return regions_.back();
  }

  /// Any instruction goes up or down, mostly a little; the block, or none.
  std::size_t slide() {
    const Region& region = any_region();
    const BlockGraph& graph = kernel_.graphs()[region.block];
    Order& order = orders_[region.block];
    old_order_ = order;
    old_stalls_ = stalls_[region.block];
    std::size_t place = region.begin + random_() % region.size();
    const bool up = random_() % 2 == 0;
    std::size_t steps = 1 + random_() % (random_() % 3 != 0 ? 4 : 40);
    bool moved = false;
    for (; steps > 0; --steps, moved = true) {
      if (up ? place == region.begin : place + 1 == region.end) break;
      const std::size_t other = up ? place - 1 : place + 1;
      const auto& next = graph.successors[order[std::min(place, other)]];
      if (std::find(next.begin(), next.end(), order[std::max(place, other)]) != next.end()) break;
      std::swap(order[place], order[other]);
      place = other;
    }
    return moved ? region.block : kNone;
  }

  void undo(std::size_t block) {
    orders_[block] = old_order_;
    stalls_[block] = old_stalls_;
  }

  const Kernel& kernel_;
  Random& random_;
  double global_cycles_;
  bool loops_ = false;
  std::vector<std::size_t> blocks_;
  std::vector<Region> regions_;
  std::vector<Order> orders_;
  std::vector<std::vector<int>> stalls_;
  std::vector<std::vector<ForecastStep>> steps_;  ///< by instruction as it was built
  Order old_order_;
  std::vector<int> old_stalls_;
};

}  // namespace

std::optional<Proposal> propose_forecast(const Kernel& kernel, const Schedule& from,
                                         Random& random) {
  Foresight foresight(kernel, from, kernel.any_region(random), random);
  auto orders = foresight.run();
  if (!orders) return std::nullopt;
  Proposal proposal{from, "load " + std::to_string(foresight.global_cycles())};
  proposal.schedule.orders = std::move(*orders);
  return proposal;
}

}  // namespace warpwright::sass
