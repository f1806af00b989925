// SPDX-License-Identifier: Apache-2.0
#include "reorder/variants.h"

#include <algorithm>
#include <map>

namespace warpwright::reorder {

namespace {

// A quick trial says little below this.
constexpr double kWorthProving = 0.998;
constexpr int kTrials = 3;

/// The median of some trials; nothing where one went wrong, with the reason.
Result<std::optional<double>> quick_ratio(const std::string& cubin, Canary& canary) {
  std::vector<double> ratios;
  for (int i = 0; i < kTrials; ++i) {
    WW_TRY(const auto ratio, canary.trial(cubin, static_cast<std::uint64_t>(i)));
    if (!ratio) return std::optional<double>();
    ratios.push_back(*ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  return std::optional<double>(ratios[kTrials / 2]);
}

void try_out(const Variant& variant, Canary& canary, VariantOutcome& outcome) {
  const auto ratio = quick_ratio(variant.cubin, canary);
  // What the driver refuses is no reason to give up the others.
  if (!ratio.ok()) {
    outcome.why_not = ratio.error().message;
  } else if (!*ratio) {
    outcome.why_not = "it gave other results, or faulted";
  } else {
    outcome.ratio = **ratio;
    if (**ratio > kWorthProving) outcome.why_not = "it looked no faster";
  }
}

}  // namespace

Result<std::vector<VariantOutcome>> try_variants(const std::vector<Variant>& variants,
                                                 Canary& canary, const ProofOptions& options,
                                                 const std::function<bool()>& is_over) {
  std::vector<VariantOutcome> outcomes;
  std::map<std::string, std::string> seen;  // cubin -> name
  std::vector<std::size_t> worth;
  for (const Variant& variant : variants) {
    VariantOutcome& outcome =
        outcomes.emplace_back(VariantOutcome{.name = variant.name, .flags = variant.flags});
    if (variant.cubin.empty()) {
      outcome.why_not = variant.unmade;
    } else if (is_over()) {
      outcome.why_not = "the time was up";
    } else if (const auto [same, fresh] = seen.emplace(variant.cubin, variant.name); !fresh) {
      outcome.why_not = "the same code as '" + same->second + "'";
    } else {
      try_out(variant, canary, outcome);
      if (outcome.why_not.empty()) worth.push_back(outcomes.size() - 1);
    }
  }
  std::stable_sort(worth.begin(), worth.end(), [&](std::size_t a, std::size_t b) {
    return *outcomes[a].ratio < *outcomes[b].ratio;
  });
  for (const std::size_t at : worth) {
    if (is_over()) {
      outcomes[at].why_not = "the time was up";
      continue;
    }
    WW_TRY(outcomes[at].proof, begin_proof(variants[at].cubin, "", canary, options));
    if (outcomes[at].accepted()) break;
  }
  for (const std::size_t at : worth)
    if (!outcomes[at].proof && outcomes[at].why_not.empty())
      outcomes[at].why_not = "another one looked faster";
  return outcomes;
}

}  // namespace warpwright::reorder
