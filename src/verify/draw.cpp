// SPDX-License-Identifier: Apache-2.0
#include "verify/draw.h"

#include <algorithm>
#include <set>
#include <string_view>

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

/// "huge_element_in_x" is one of the kind "huge_element".
std::string_view kind_of(const InputVariant& pattern) {
  const std::string_view name = pattern.name;
  for (const std::string_view tail : {"_in_", "_everywhere"}) {
    if (const auto at = name.rfind(tail); at != std::string_view::npos) return name.substr(0, at);
  }
  return name;
}

using Variants = std::vector<const InputVariant*>;

Variants shuffled(Variants all, SecretDraws& draws) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[draws.below(i)]);
  return all;
}

Variants pointers_to(const std::vector<InputVariant>& all) {
  Variants pointers;
  for (const InputVariant& one : all) pointers.push_back(&one);
  return pointers;
}

/// All patterns in a drawn order, first one of every kind.
Variants kinds_first(const std::vector<InputVariant>& patterns, SecretDraws& draws) {
  Variants first, rest;
  std::set<std::string_view> kinds;
  for (const InputVariant* one : shuffled(pointers_to(patterns), draws))
    (kinds.insert(kind_of(*one)).second ? first : rest).push_back(one);
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// Inputs that tolerate nothing: whoever drops bits or terms is found with them.
bool is_probe(const InputVariant& variant) { return variant.check != CheckRule{}; }

/// Distributions that are dealt like cards: none comes twice before all have come once.
class Deck {
 public:
  explicit Deck(Variants cards) : cards_(std::move(cards)), dealt_(cards_.size()) {}

  /// The variant's own and the patterns in turns: few are not lost among many.
  static Deck of_all(const Task& task, const std::vector<InputVariant>& patterns,
                     SecretDraws& draws) {
    const Variants own = shuffled(pointers_to(task.variants), draws);
    const Variants others = kinds_first(patterns, draws);
    Variants all;
    for (std::size_t i = 0; i < std::max(own.size(), others.size()); ++i) {
      if (i < own.size()) all.push_back(own[i]);
      if (i < others.size()) all.push_back(others[i]);
    }
    return Deck(std::move(all));
  }
  static Deck of_probes(const Task& task, SecretDraws& draws) {
    Variants probes = pointers_to(task.variants);
    std::erase_if(probes, [](const InputVariant* v) { return !is_probe(*v); });
    return Deck(shuffled(std::move(probes), draws));
  }

  /// The next one that can be used at this size; null: none.
  Result<const InputVariant*> deal(const Task& task, const TaskSize& size) {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < cards_.size(); ++i) {
        if (dealt_[i]) continue;
        WW_TRY(const bool usable, is_usable(task, *cards_[i], size));
        if (!usable) continue;
        dealt_[i] = true;
        return cards_[i];
      }
      dealt_.assign(cards_.size(), false);
    }
    return static_cast<const InputVariant*>(nullptr);
  }

 private:
  Variants cards_;
  std::vector<bool> dealt_;
};

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
  const Variants all = kinds_first(storage.patterns, draws);
  for (std::size_t i = 0; i < std::min(limits.patterns, all.size()) && !sizes.empty(); ++i)
    cases.push_back({sizes[draws.below(sizes.size())], all[i], SizeClass::edge});
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
  Deck deck = Deck::of_all(task, storage->patterns, draws);
  Deck probes = Deck::of_probes(task, draws);
  for (const DrawnSize& item : storage->sizes) {
    const auto add = [&](const InputVariant* variant) {
      set.cases.push_back({&item.size, variant, item.size_class});
    };
    // Sums of very many positive numbers are beyond what single precision can do.
    WW_TRY(const std::uint64_t bytes, footprint_bytes(task, item.size));
    const bool usual = bytes <= limits.drawn.max_bytes;
    const bool declared =
        !usual || limits.others_per_size > 0 || draws.unit() < kDeclaredAtDrawnSizes;
    const InputVariant* first = nullptr;
    if (!declared) {
      WW_TRY(first, deck.deal(task, item.size));
    }
    add(first);
    if (!usual) continue;
    WW_TRY(const InputVariant* probe, probes.deal(task, item.size));
    if (probe != nullptr && probe != first) add(probe);
    for (std::size_t i = probe != nullptr ? 1 : 0; i < limits.others_per_size; ++i) {
      WW_TRY(const InputVariant* other, deck.deal(task, item.size));
      if (other != nullptr && other != probe) add(other);
    }
  }
  set.storage = std::move(storage);
  return set;
}

Result<std::vector<const InputVariant*>> every_kind(const Task& task,
                                                    const std::vector<InputVariant>& patterns,
                                                    const TaskSize& size, std::uint64_t seed) {
  SecretDraws draws(seed, "every kind of inputs");
  WW_TRY(const Pools pools, pools_at(task, patterns, size, false));
  Variants all = shuffled(pools.variants, draws);
  std::set<std::string_view> kinds;
  for (const InputVariant* one : kinds_first(patterns, draws))
    if (kinds.insert(kind_of(*one)).second) all.push_back(one);
  return all;
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
