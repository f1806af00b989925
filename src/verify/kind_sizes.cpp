// SPDX-License-Identifier: Apache-2.0
#include "verify/kind_sizes.h"

#include <algorithm>
#include <cmath>

#include "core/task_domains.h"
#include "verify/secret_draws.h"
#include "verify/size_drawer.h"

namespace warpwright::verify {

namespace {

// Of what fits: not the most of it, which is known.
constexpr double kLeastShare = 0.7;

/// A value that may be large; others are reached through these.
struct WideValue {
  std::string name;
  double low = 0, high = 0;
};

std::vector<WideValue> wide_values(const std::vector<NamedDomain>& domains) {
  std::vector<WideValue> values;
  for (const auto& [name, domain] : domains) {
    const auto range = domain.at({});
    if (range.ok() && is_wide(*range)) values.push_back({name, range->low, range->high});
  }
  return values;
}

Result<const TaskSize*> largest_timed(const Task& task) {
  const TaskSize* largest = nullptr;
  std::uint64_t most = 0;
  for (const TaskSize& size : task.sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, size));
    if (largest != nullptr && bytes < most) continue;
    largest = &size;
    most = bytes;
  }
  return largest;
}

}  // namespace

Result<std::vector<TaskSize>> draw_kind_sizes(const Task& task, const KindBudget& budget,
                                              std::uint64_t seed) {
  std::vector<TaskSize> sizes;
  if (task.domain.empty()) return sizes;
  WW_TRY(const auto domains, domains_of(task));
  WW_TRY(const std::uint64_t elements, most_elements(task));
  WW_TRY(const TaskSize* like, largest_timed(task));
  const auto wide = wide_values(domains);
  const bool has_large = !wide.empty(), has_like = domains.size() > 1 || !has_large;
  const double calls =
      static_cast<double>(std::max<std::size_t>(budget.kinds, 1)) * (has_large && has_like ? 2 : 1);
  Wanted wanted{.size_class = SizeClass::between,
                .label = "every kind of inputs",
                .like = like,
                .max_bytes = std::min(budget.bytes / calls, budget.most_bytes),
                .max_work = std::min(budget.work / calls, budget.most_work)};
  wanted.least_bytes = kLeastShare * wanted.max_bytes;
  wanted.least_work = kLeastShare;
  SizeDrawer drawer(task, domains, elements, seed);
  const auto add = [&](const Wanted& one) {
    auto size = drawer.draw(one);
    if (!size) return;
    drawer.keep(*size);
    sizes.push_back(std::move(*size));
  };
  if (has_like) add(wanted);
  if (!has_large) return sizes;
  SecretDraws draws(seed, "the value that is large");
  const auto& [name, low, high] = wide[draws.below(wide.size())];
  const auto largest = drawer.largest_value(wanted, name, low, high);
  if (!largest) return sizes;
  wanted.windows[name] = {std::max(low, std::ceil(kLeastShare * *largest)), *largest};
  wanted.least_bytes = wanted.max_bytes;
  add(wanted);
  return sizes;
}

}  // namespace warpwright::verify
