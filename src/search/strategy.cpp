// SPDX-License-Identifier: Apache-2.0
#include "search/strategy.h"

#include <array>
#include <string>
#include <tuple>

namespace warpwright::search {

namespace {

constexpr std::array<StrategyRow, 4> kStrategies = {{
    {"fsr",
     "rounds of N candidates; the fastest valid one leads the next (the paper's Algorithm 1)",
     make_fsr},
    {"serial", "N independent chains of D turns, each refining its own last answer", make_serial},
    {"tree",
     "D waves of N turns; each turn continues the answer with the most promising return (Kevin)",
     make_tree},
    {"evolve",
     "D waves of N from a population in niches: improvements, crossings, changes, other designs",
     make_evolve, true},
}};

}  // namespace

bool faster(const Trial& a, const Trial& b) {
  // What is judged without a clock has no time, and still beats what is wrong.
  if (a.evaluation.valid() != b.evaluation.valid()) return a.evaluation.valid();
  const auto time_a = a.evaluation.valid() ? score_us(a.evaluation) : std::nullopt;
  const auto time_b = b.evaluation.valid() ? score_us(b.evaluation) : std::nullopt;
  if (!time_a || !time_b) return time_a.has_value() && !time_b.has_value();
  const auto order = [](const Trial& t) {
    return std::tuple(t.proposal.round, t.proposal.repair, t.proposal.slot);
  };
  return *time_a != *time_b ? *time_a < *time_b : order(a) < order(b);
}

bool can_be_mended(const Trial& trial) {
  return repair_kind(trial.evaluation.verdict) != RepairKind::none && !trial.reply.empty();
}

std::span<const StrategyRow> strategies() { return kStrategies; }

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name,
                                                const StrategyOptions& options,
                                                Composer& composer) {
  std::string known;
  for (const auto& row : kStrategies) {
    if (row.name == name && options.models > 1 && !row.several_models)
      return Error{"--models: strategy '" + std::string(name) +
                   "' asks one model; several need --strategy evolve"};
    if (row.name == name) return row.make(options, composer);
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Error{"unknown strategy '" + std::string(name) + "'; there are: " + known};
}

}  // namespace warpwright::search
