// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/catalogue.h"
#include "data/rows.h"

namespace warpwright::data {

/// Every right answer as a chat.
Status export_sft(Catalogue& catalogue, const Judging* judging, const Provenance& provenance,
                  RowWriter& out);

struct PreferenceOptions {
  double margin = 0.05;  ///< the least share by which the faster one's interval must be ahead
  std::size_t per_prompt = 4;
};
/// Pairs of answers to one prompt: a right one and a wrong one, or two right ones whose times do
/// not overlap.
Status export_preferences(Catalogue& catalogue, const PreferenceOptions& options,
                          const Judging* judging, const Provenance& provenance, RowWriter& out);

/// How returns go back over a turn that several answers refined.
enum class Branch { mean, best };

struct GrpoOptions {
  RewardRule reward;
  Branch branch = Branch::mean;
};
/// Every judged answer as one turn of its trajectory; a group is all turns of one task.
Status export_grpo(Catalogue& catalogue, const GrpoOptions& options, const Judging* judging,
                   const Provenance& provenance, RowWriter& out);

/// R_i = S_i + gamma * (mean or best R of those that refine i). `parents` are indices, -1 = none,
/// and lie before their children.
std::vector<double> tree_returns(std::span<const double> scores,
                                 std::span<const std::int32_t> parents, double gamma,
                                 Branch branch);

}  // namespace warpwright::data
