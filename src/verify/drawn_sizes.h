// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/cases.h"

namespace warpwright::verify {

struct SizeLimits {
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< all buffers of a size together
  double max_work = 1e300;                      ///< operations of a simple kernel
  std::size_t per_class = 1;                    ///< how many sizes are drawn for each class
  /// Not 0: what timed calls may take, drawn ones may take, too. Sizes between two timed ones then
  /// go up to the larger of them, and those above the listed ones up to so many times the largest,
  /// where that is more than the limits above.
  double beyond_listed = 0;
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< of these
  /// So many more sizes, over which the magnitudes of every value are spread: each power of two of
  /// a narrow domain is met in every judgement, and those of wide ones in turns.
  std::size_t spread = 0;
  /// Not 0: sizes with one value above all timed and edge sizes may take so much.
  std::uint64_t above_bytes = 0;
  double above_work = 0;
  /// So many of them, one in each of as many parts of what that value can be; the first is odd.
  std::size_t above_parts = 1;
};

struct DrawnSize {
  TaskSize size;
  SizeClass size_class = SizeClass::tiny;
};

struct DrawnSizes {
  std::vector<DrawnSize> sizes;
  std::vector<std::string> left_out;  ///< classes of which no size fits the limits
};

/// Sizes that nobody knows beforehand, drawn from the task's domains for every class that has one
/// within the limits: tiny, small, aslant (one value large, the others small), between each two
/// neighbouring timed sizes, above the largest of them, and with one value above all that are
/// listed anywhere (where `beyond_listed` allows for it), with one above the timed and edge sizes,
/// and spread over all magnitudes. Values are spread by ratio, and often lie
/// beside powers of two, are odd, or prime; scalars are drawn along. A pure function of its
/// arguments. None for a task without domains.
Result<DrawnSizes> draw_sizes(const Task& task, const SizeLimits& limits, std::uint64_t seed);

}  // namespace warpwright::verify
