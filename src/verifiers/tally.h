// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verifiers/votes.h"

namespace warpwright::verifiers {

/// How often one procedure, or all together, were right about programs that the judge has judged.
struct Score {
  std::string name;  ///< a procedure's name, or "all": two of three
  int votes = 0;
  int objections = 0;  ///< votes against
  int right = 0;       ///< of the objections, to programs that failed in any way
  int failed = 0;  ///< programs that failed in the way that the procedure is about; all: any way
  int found = 0;   ///< of these, with an objection
  int passed = 0;  ///< programs that are ok
  int false_alarms = 0;  ///< of these, with an objection

  /// Nothing where there is nothing to divide by.
  [[nodiscard]] std::optional<double> precision() const;
  [[nodiscard]] std::optional<double> recall() const;
  [[nodiscard]] std::optional<double> false_alarm_rate() const;
};

struct Tally {
  int programs = 0;  ///< with votes
  int judged = 0;    ///< of these, with the judge's verdict: the scores are about them
  int refused = 0;   ///< kept from the judge
  int audited = 0;   ///< refused, and judged all the same
  std::int64_t tokens = 0;
  double usd = 0;
  bool unpriced = false;
  double judge_s = 0;  ///< time that the judge spent on those it judged
  std::vector<Score> scores;

  void add(const Evaluation& evaluation, const Votes& votes);
  Tally();
};

}  // namespace warpwright::verifiers
