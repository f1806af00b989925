// SPDX-License-Identifier: Apache-2.0
// Calls of libdevice functions that are left in the PTX where no libdevice was there to link.
#include "flops/cost.h"

namespace warpwright::flop {

namespace {

struct CallRow {
  std::string_view function;
  double sp, dp;
  std::string_view implicit;
};

constexpr CallRow kCalls[] = {
#include "flops/call_costs.def"
};

}  // namespace

OpCost call_cost(std::string_view function) {
  for (const CallRow& row : kCalls) {
    if (row.function == function) return {{row.sp, row.dp, 0, 0}, row.implicit};
  }
  return {};
}

}  // namespace warpwright::flop
