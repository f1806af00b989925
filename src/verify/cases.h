// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/task.h"

namespace warpwright::verify {

/// Where a size lies among those that a task lists. `slanted`: one value large, the others small.
enum class SizeClass : int { edge, tiny, slanted, small, between, above, timed };
std::string_view name_of(SizeClass size_class);

/// One thing to validate: pointers into the task, or into the CaseSet it belongs to.
struct Case {
  const TaskSize* size = nullptr;
  const InputVariant* variant = nullptr;  ///< null: the timed inputs
  SizeClass size_class = SizeClass::edge;
};

struct CaseLimits {
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< all buffers of the case together
  double max_flops = 1e300;
  bool timed_sizes = true;
  /// How many edge sizes each variant is tried at: the largest that fits, then others, rotating so
  /// that all of them are met.
  std::size_t sizes_per_variant = 3;
};

/// Edge sizes from small to large, then the variants, then the timed sizes. Cheap failures first.
Result<std::vector<Case>> cases_of(const Task& task, const CaseLimits& limits);

/// "size 33x65, inputs 'ramp'"
std::string describe(const Case& item);

}  // namespace warpwright::verify
