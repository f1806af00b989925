// SPDX-License-Identifier: Apache-2.0
#include "verify/draw.h"

#include <algorithm>

#include "core/task_domains.h"
#include "verify/patterns.h"
#include "verify/secret_draws.h"

namespace warpwright::verify {

namespace {

constexpr double kDeclaredAtDrawnSizes = 0.3;

/// Whether a variant or pattern can be used at a size: it is meant for it, and what it sets lies in
/// the domains there.
Result<bool> is_usable(const Task& task, const InputVariant& variant, const TaskSize& size) {
  WW_TRY(const bool meant, applies(task, variant, size));
  if (!meant || variant.values.empty() || task.domain.empty()) return meant;
  WW_TRY(const auto domains, domains_of(task));
  WW_TRY(const auto values, values_at(task, size, &variant));
  return within_domains(domains, values).ok();
}

/// Variants and patterns that fit a size, halves of the list as likely as their members together:
/// few variants are not lost among many patterns.
struct Pools {
  std::vector<const InputVariant*> variants, patterns;

  [[nodiscard]] const InputVariant* pick(SecretDraws& draws) const {
    const bool own = patterns.empty() || (!variants.empty() && draws.unit() < 0.5);
    const auto& pool = own ? variants : patterns;
    return pool.empty() ? nullptr : pool[draws.below(pool.size())];
  }
};

Result<Pools> pools_at(const Task& task, const std::vector<InputVariant>& patterns,
                       const TaskSize& size, bool may_set) {
  Pools pools;
  for (const InputVariant& variant : task.variants) {
    if (!may_set && !variant.values.empty()) continue;
    WW_TRY(const bool yes, is_usable(task, variant, size));
    if (yes) pools.variants.push_back(&variant);
  }
  for (const InputVariant& pattern : patterns) pools.patterns.push_back(&pattern);
  return pools;
}

/// Some patterns, each at an edge size within the limits of drawn ones.
Status add_patterns(const Task& task, const DrawLimits& limits, const CaseSet::Storage& storage,
                    SecretDraws& draws, std::vector<Case>& cases) {
  std::vector<const TaskSize*> sizes;
  for (const Case& item : cases) {
    if (item.variant != nullptr) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, *item.size));
    WW_TRY(const double amount, work(task, *item.size));
    if (bytes <= limits.drawn.max_bytes && amount <= limits.drawn.max_work)
      sizes.push_back(item.size);
  }
  std::vector<const InputVariant*> left;
  for (const InputVariant& pattern : storage.patterns) left.push_back(&pattern);
  for (std::size_t i = 0; i < limits.patterns && !left.empty() && !sizes.empty(); ++i) {
    const std::size_t at = draws.below(left.size());
    cases.push_back({sizes[draws.below(sizes.size())], left[at], SizeClass::edge});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return {};
}

}  // namespace

Result<CaseSet> draw_cases(const Task& task, std::uint64_t seed, const DrawLimits& limits) {
  CaseSet set;
  WW_TRY(set.cases, cases_of(task, limits.edge));
  WW_TRY(auto drawn, draw_sizes(task, limits.drawn, seed));
  set.left_out = std::move(drawn.left_out);
  auto storage = std::make_shared<CaseSet::Storage>();
  storage->sizes = std::move(drawn.sizes);
  storage->patterns = generic_patterns(task);
  SecretDraws draws(seed, "inputs of cases");
  WW_CHECK(add_patterns(task, limits, *storage, draws, set.cases));
  for (const DrawnSize& item : storage->sizes) {
    WW_TRY(const Pools pools, pools_at(task, storage->patterns, item.size, true));
    const bool declared = limits.others_per_size > 0 || draws.unit() < kDeclaredAtDrawnSizes;
    set.cases.push_back({&item.size, declared ? nullptr : pools.pick(draws), item.size_class});
    // Sums of very many positive numbers are beyond what single precision can do.
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, item.size));
    for (std::size_t i = 0; bytes <= limits.drawn.max_bytes && i < limits.others_per_size; ++i) {
      const InputVariant* other = pools.pick(draws);
      if (other != nullptr) set.cases.push_back({&item.size, other, item.size_class});
    }
  }
  set.storage = std::move(storage);
  return set;
}

InputChoices::InputChoices(const Task& task)
    : task_(task),
      patterns_(std::make_shared<const std::vector<InputVariant>>(generic_patterns(task))) {}

Result<CallInputs> draw_inputs(const Task& task, const std::vector<InputVariant>& patterns,
                               const TaskSize& size, std::uint64_t call_seed, double declared) {
  SecretDraws draws(call_seed, "inputs of a call");
  if (draws.unit() < declared) return CallInputs{};
  WW_TRY(const Pools pools, pools_at(task, patterns, size, false));
  const InputVariant* variant = pools.pick(draws);
  return CallInputs{variant, variant == nullptr};
}

Result<CallInputs> InputChoices::draw(const TaskSize& size, std::uint64_t call_seed,
                                      double declared) const {
  return draw_inputs(task_, *patterns_, size, call_seed, declared);
}

Result<std::vector<const InputVariant*>> InputChoices::fitting(const TaskSize& size) const {
  WW_TRY(Pools pools, pools_at(task_, *patterns_, size, false));
  pools.variants.insert(pools.variants.end(), pools.patterns.begin(), pools.patterns.end());
  return std::move(pools.variants);
}

}  // namespace warpwright::verify
