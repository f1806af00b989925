// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "core/evaluation.h"

namespace warpwright::service {

/// A number for training, made of a judged kernel. Whatever is not `ok` earns 0, and no right
/// kernel earns less.
struct Reward {
  std::string_view name;
  std::string_view meaning;
  std::string_view gamed_by;  ///< what a trainer should know
  double (*of)(const Evaluation& evaluation);
};

std::span<const Reward> rewards();
/// Null: there is none of that name.
const Reward* find_reward(std::string_view name);

}  // namespace warpwright::service
