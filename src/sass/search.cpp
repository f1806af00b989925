// SPDX-License-Identifier: Apache-2.0
#include "sass/search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpwright::sass {

namespace {

constexpr std::size_t kFinalists = 8;

/// What both ways of searching share: proposals, their times and the best of them.
class Course {
 public:
  Course(const Kernel& kernel, const TimeSchedule& time, const SearchOptions& options)
      : kernel_(kernel), time_(time), options_(options), random_(options.seed) {}

  Status begin() {
    result_.best = now_ = kernel_.original();
    WW_TRY(const auto us, time_(kernel_.function()));
    if (!us || *us <= 0) return Error{"the kernel as it was built could not be timed"};
    result_.original_us = result_.best_us = now_us_ = *us;
    result_.finalists.emplace_back(*us, now_);
    return {};
  }

  [[nodiscard]] bool over() const {
    return kernel_.regions().empty() || attempts_ >= 20 * options_.most_tried ||
           result_.tried >= options_.most_tried || options_.is_over();
  }

  /// One proposal of a move from where the search stands. Nothing: none was legal.
  std::optional<Proposal> propose(const Move& move) {
    ++attempts_;
    MoveCount& count = result_.moves[std::string(move.name)];
    ++count.proposed;
    auto proposal = move.propose(kernel_, now_, random_);
    if (!proposal) ++count.illegal;
    return proposal;
  }

  /// Its reward; accepted where `accept` says so of old and new time. -1 where it was refused.
  Result<std::optional<double>> try_out(
      const Move& move, Proposal proposal,
      const std::function<bool(double was_us, double now_us)>& accept) {
    MoveCount& count = result_.moves[std::string(move.name)];
    const auto scheduled = kernel_.apply(proposal.schedule);
    if (!scheduled) {
      ++count.illegal;
      return std::optional<double>();
    }
    WW_TRY(const auto us, time_(*scheduled));
    ++result_.tried;
    if (!us) {
      ++count.refused;
      ++result_.refused;
      count.reward -= 1;
      return std::optional<double>(-1.0);
    }
    const double reward = (now_us_ - *us) / result_.original_us * 100;
    count.reward += reward;
    if (*us < now_us_ * (1 - options_.noise)) ++count.better;
    keep(*us, proposal.schedule);
    if (accept(now_us_, *us)) {
      now_ = std::move(proposal.schedule);
      now_us_ = *us;
    }
    return std::optional<double>(reward);
  }

  void return_to_best() {
    now_ = result_.best;
    now_us_ = result_.best_us;
  }

  Random& random() { return random_; }
  [[nodiscard]] double original_us() const { return result_.original_us; }
  SearchResult finish() { return std::move(result_); }

 private:
  void keep(double us, const Schedule& schedule) {
    if (us < result_.best_us) {
      result_.best_us = us;
      result_.best = schedule;
    }
    auto& list = result_.finalists;
    if (list.size() >= kFinalists && us >= list.back().first) return;
    for (const auto& each : list)
      if (each.second == schedule) return;
    list.emplace_back(us, schedule);
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (list.size() > kFinalists) list.resize(kFinalists);
  }

  const Kernel& kernel_;
  const TimeSchedule& time_;
  const SearchOptions& options_;
  Random random_;
  SearchResult result_;
  Schedule now_;
  double now_us_ = 0;
  int attempts_ = 0;
};

// SIP's schedule: from 1.0 down by 0.3 % a step to 0.05.
constexpr double kHottest = 1.0, kCooling = 0.003, kColdest = 0.05;

Result<SearchResult> anneal(const Kernel& kernel, const TimeSchedule& time,
                            const SearchOptions& options) {
  Course course(kernel, time, options);
  WW_CHECK(course.begin());
  double temperature = kHottest;
  const auto accept = [&](double was_us, double now_us) {
    const double gain = (was_us - now_us) / course.original_us() * 100;
    if (gain >= 0) return true;
    return std::uniform_real_distribution<double>(0, 1)(course.random()) <
           std::exp(gain / temperature);
  };
  while (!course.over()) {
    const Move& move = moves()[course.random()() % moves().size()];
    auto proposal = course.propose(move);
    if (!proposal) continue;
    WW_TRY(const auto reward, course.try_out(move, std::move(*proposal), accept));
    if (!reward) continue;
    temperature *= 1 - kCooling;
    if (temperature >= kColdest) continue;
    // Cold: begin again from the best.
    temperature = kHottest;
    course.return_to_best();
  }
  return course.finish();
}

/// Mean rewards, of moves and of what they did.
struct Value {
  double mean = 0;
  int count = 0;

  void learn(double reward) {
    ++count;
    mean += (reward - mean) / std::min(count, 200);
  }
};

constexpr int kDrawn = 4;          // proposals of which the policy takes one
constexpr double kCurious = 0.15;  // how often it takes any
constexpr int kPatience = 60;      // schedules without a new best

Result<SearchResult> follow_policy(const Kernel& kernel, const TimeSchedule& time,
                                   const SearchOptions& options) {
  Course course(kernel, time, options);
  WW_CHECK(course.begin());
  std::vector<Value> arms(moves().size());
  std::map<std::string, Value> traits;
  int steps = 0, dry = 0;
  const auto arm_of = [&] {
    std::size_t best = 0;
    double best_bound = -1e300;
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const double bound =
          arms[a].count == 0 ? 1e9 - static_cast<double>(a)
                             : arms[a].mean + std::sqrt(2 * std::log(steps + 1.0) / arms[a].count);
      if (bound > best_bound) best = a, best_bound = bound;
    }
    return best;
  };
  while (!course.over()) {
    ++steps;
    const std::size_t arm = arm_of();
    const Move& move = moves()[arm];
    std::optional<Proposal> chosen;
    const bool any = std::uniform_real_distribution<double>(0, 1)(course.random()) < kCurious;
    for (int i = 0; i < (any ? 1 : kDrawn); ++i) {
      auto proposal = course.propose(move);
      if (!proposal) continue;
      if (!chosen || traits[proposal->trait].mean > traits[chosen->trait].mean)
        chosen = std::move(proposal);
    }
    if (!chosen) {
      arms[arm].learn(-0.1);
      continue;
    }
    const std::string trait = chosen->trait;
    bool improved = false;
    const auto accept = [&](double was_us, double now_us) {
      improved = now_us < was_us * (1 - options.noise);
      return now_us <= was_us * (1 + options.noise / 2);
    };
    WW_TRY(const auto reward, course.try_out(move, std::move(*chosen), accept));
    arms[arm].learn(reward.value_or(-0.1));
    if (reward) traits[trait].learn(*reward);
    dry = improved ? 0 : dry + 1;
    if (dry < kPatience) continue;
    dry = 0;
    course.return_to_best();
  }
  return course.finish();
}

constexpr auto kSearchers = std::to_array<Searcher>({
    {"anneal", "simulated annealing from 1.0 to 0.05, 0.3 % cooler at each step (SIP)", anneal},
    {"policy", "a bandit over moves and learned values of what they do (CuAsmRL's reward)",
     follow_policy},
});

}  // namespace

std::span<const Searcher> searchers() { return kSearchers; }

const Searcher* searcher_named(std::string_view name) {
  for (const Searcher& searcher : kSearchers)
    if (searcher.name == name) return &searcher;
  return nullptr;
}

}  // namespace warpwright::sass
