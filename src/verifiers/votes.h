// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::verifiers {

/// What one procedure said of one program.
struct Vote {
  std::string procedure;
  std::optional<bool> passes;  ///< nothing: no answer, or one without a vote
  std::string because;

  bool operator==(const Vote&) const = default;
};

/// What all procedures said, and what asking cost.
struct Votes {
  std::string model;
  std::vector<Vote> votes;
  std::int64_t tokens = 0;
  double usd = 0;
  bool unpriced = false;
  bool refused = false;  ///< they voted against it
  bool audited = false;  ///< refused, and judged all the same to know whether they were right

  bool operator==(const Votes&) const = default;
};

/// Two votes against a program outweigh the third.
bool votes_against(const std::vector<Vote>& votes);

/// In an evaluation votes are rows of its manifest, "verifiers.NAME", so that archives and older
/// versions can read them.
void record_votes(Evaluation& evaluation, const Votes& votes);
/// Nothing: nobody voted.
std::optional<Votes> votes_of(const Evaluation& evaluation);

/// The evaluation of a program that the judge did not look at because of its votes.
Evaluation refused_evaluation(const Votes& votes, const std::string& device);
/// Whether an evaluation is one of those.
bool is_refusal(const Evaluation& evaluation);

}  // namespace warpwright::verifiers
