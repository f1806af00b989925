// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"
#include "core/task.h"

namespace warpwright::portfolio {

/// A kernel that was judged, with its times.
struct Part {
  std::string name;  ///< a run or a file
  std::string source;
  Evaluation evaluation;
};

/// From `above` on (exclusive) in the product of the scalars that tell the sizes apart, this part.
struct Range {
  double above = 0;
  std::size_t part = 0;
};

/// Which part is called where.
struct Dispatch {
  std::vector<std::string> scalars;  ///< arguments of solve whose product is looked at
  std::vector<Range> ranges;         ///< ascending; the first begins below everything
};

/// By the times of the parts at the task's sizes: of all products of scalars the one whose ranges
/// cost least, each change from one part to another counted as `margin`, so that a part which gains
/// less does not begin a range of its own. A border lies half way, in logarithms, between
/// neighbouring sizes. On a tie the product of more scalars and the earlier part win. An error when
/// no scalar tells sizes apart or a part lacks times.
Result<Dispatch> dispatch_by_size(const Task& task, const std::vector<Part>& parts,
                                  double margin = 0.01);

/// Parts that are called, and where; the dispatch counts among them.
struct Portfolio {
  std::vector<Part> parts;
  Dispatch dispatch;
};

/// Of many candidates those that a dispatch by size calls, in the order of their ranges.
Result<Portfolio> portfolio_of(const Task& task, const std::vector<Part>& candidates,
                               double margin = 0.01);

/// One source: each part in a namespace of its own, and a `solve` that calls one of them. Includes
/// come first; macros of a part end with it. The error names the part that cannot be put so.
Result<std::string> merged_source(const Task& task, const std::vector<Part>& parts,
                                  const Dispatch& dispatch);

}  // namespace warpwright::portfolio
