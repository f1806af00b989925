// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/run_rows.h"
#include "report/speedup.h"

namespace warpwright::report {

/// One run as a function of the number of evaluations.
struct RunCurve {
  std::string run;
  std::string task;
  std::string group;
  std::string status;
  std::vector<double> best;  ///< after 1, 2, ... evaluations: best speed-up, 0 while none is valid
  double share = 0;          ///< of the roofline, of the best kernel
  std::int64_t tokens = 0;
  double usd = 0;
  bool unpriced = false;  ///< usd lacks a part that nobody knows

  /// Later than its end a run stays where it was.
  [[nodiscard]] double best_after(std::size_t evaluations) const;
  [[nodiscard]] int first_valid() const;  ///< 0: never
};

RunCurve curve_of(const RunStory& story);

/// Wilson's 95 % interval of a share.
Interval wilson(int successes, int count);

/// Geometric mean over the runs of the best speed-up after so many evaluations; the baseline is
/// always there to be used, so that nothing counts below 1. The interval is a 95 % bootstrap: tasks
/// are drawn, then runs of each task. It is the value alone when there are fewer than three runs.
std::vector<Interval> mean_gains(const std::vector<const RunCurve*>& runs,
                                 const std::vector<std::size_t>& evaluations);

/// What tells the runs apart: those of model, strategy and settings that differ.
std::vector<std::string> group_names(const std::vector<RunStory>& stories);

Result<Page> compare_page(store::Archive& archive, const std::vector<std::string>& runs,
                          std::int64_t made_ms);

}  // namespace warpwright::report
