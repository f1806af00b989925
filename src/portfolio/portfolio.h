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

/// By the times of the parts at the task's sizes. A border lies half way, in logarithms, between
/// neighbouring sizes with different winners; a part that is not at least `margin` faster than its
/// neighbour at a size does not begin a range of its own. An error when no scalar tells sizes apart
/// or a part lacks times.
Result<Dispatch> dispatch_by_size(const Task& task, const std::vector<Part>& parts,
                                  double margin = 0.01);

/// One source: each part in a namespace of its own, and a `solve` that calls one of them. Includes
/// come first; macros of a part end with it. The error names the part that cannot be put so.
Result<std::string> merged_source(const Task& task, const std::vector<Part>& parts,
                                  const Dispatch& dispatch);

}  // namespace warpwright::portfolio
