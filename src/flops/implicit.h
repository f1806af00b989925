// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flops/cost.h"

namespace warpwright::flop {

/// FLOPs that a source does not show: a division is ten of the machine's.
struct ImplicitCost {
  std::string what;  ///< "division", "square root"
  int line = 0;      ///< of the source; 0: not known
  Flops flops;       ///< each time the line runs
  bool in_loop = false;
  double share = 0;  ///< of all FLOPs of its kernel, 0 to 1: by the text, a loop runs 256 times
};

/// Those of a PTX text that are a tenth of their kernel's FLOPs or more, the largest first. By
/// reading alone. Total: any text gives a list.
std::vector<ImplicitCost> implicit_costs(std::string_view ptx);

/// One sentence: "division costs 10 FLOPs each time, in a loop (about 45 % of the kernel's)".
std::string sentence_of(const ImplicitCost& cost);

}  // namespace warpwright::flop
