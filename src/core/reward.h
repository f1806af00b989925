// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/evaluation.h"

namespace warpwright {

/// How a judged answer becomes a number (Kevin, arXiv 2507.11948): S = bonus + speed-up for a right
/// kernel, 0 for any other.
struct RewardRule {
  double correct_bonus = 0.3;
  double gamma = 0.4;          ///< what the next turn's score is worth to this one
  bool clip_at_floor = true;   ///< no size counts as faster than the device allows
  double largest_speedup = 0;  ///< no more counts, 0 = any
};

/// S of one answer. A right kernel without a baseline earns the bonus alone.
double turn_score(const Evaluation& evaluation, const RewardRule& rule = {});

/// Element i: the sum over j >= i of gamma^(j-i) * scores[j].
std::vector<double> discounted_returns(std::span<const double> scores, double gamma);

/// Mean and population deviation of the returns that one task's turns share.
struct RewardGroup {
  double mean = 0;
  double deviation = 0;
};
RewardGroup group_of(std::span<const double> returns);

/// (return - mean) / deviation; 0 where the returns do not differ.
double advantage_of(double result, const RewardGroup& group);
std::vector<double> advantages(std::span<const double> returns);

}  // namespace warpwright
