// SPDX-License-Identifier: Apache-2.0
#include "sass/fences.h"

#include <algorithm>

namespace warpwright::sass {

bool holds_back(const Instruction& instruction, bool is_fence) {
  return is_fence && !may_move(instruction) && !transfers_control(instruction);
}

PairName behind_fence_name(const std::string& fence, const Instruction& later) {
  return {Relation::fence, fence, std::string(later.base_opcode())};
}

int needed_behind_fence(const LatencyTable& table, const std::string& fence,
                        const Instruction& later, int original) {
  const PairName pair = behind_fence_name(fence, later);
  const int most = std::min(original, kFenceReach);
  return std::min(most, table.find(pair.relation, pair.producer, pair.consumer).value_or(most));
}

}  // namespace warpwright::sass
