// SPDX-License-Identifier: Apache-2.0
#include "verify/drawn_sizes.h"

#include <random>

namespace warpwright::verify {

namespace {

bool is_known(const Task& task, const TaskSize& drawn) {
  for (const auto* sizes : {&task.sizes, &task.edge_sizes}) {
    for (const TaskSize& size : *sizes) {
      if (size.values == drawn.values) return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<TaskSize>> drawn_sizes(const Task& task, const CaseLimits& limits,
                                          std::uint64_t seed) {
  std::vector<TaskSize> sizes;
  if (task.drawn.empty()) return sizes;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  for (std::size_t i = 0; i + 1 < task.sizes.size(); ++i) {
    std::vector<double> shares;
    while (shares.size() < task.drawn.size()) shares.push_back(share(random));
    auto size = size_between(task, task.sizes[i], task.sizes[i + 1], shares);
    if (!size || is_known(task, *size)) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *size));
    WW_TRY(const double work, flops(task, *size));
    if (bytes <= limits.max_bytes && work <= limits.max_flops) sizes.push_back(std::move(*size));
  }
  return sizes;
}

}  // namespace warpwright::verify
