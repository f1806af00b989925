// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sass/schedule.h"

namespace warpwright::reorder {

/// Whether a schedule still goes wrong.
using GoesWrong = std::function<Result<bool>(const sass::Function& scheduled)>;

/// What is left of a schedule that goes wrong when everything else is as it was built.
struct Narrowed {
  sass::Schedule schedule;
  int tried = 0;
  bool finished = false;  ///< nothing more can be put back; else the tries were used up
  /// Two that stood next to each other when it last went wrong, the later one of the original
  /// first; with them as they were built it went right. Numbers in the function, as in `swapped`.
  std::optional<std::pair<std::size_t, std::size_t>> decides;
  /// Pairs that have changed places, as numbers in the function: the first was built before.
  std::vector<std::pair<std::size_t, std::size_t>> swapped;
};

/// Puts parts of a schedule back as they were built, as long as what is left goes wrong: by
/// bisecting the way back, swap by swap, from both ends, and then ever smaller runs of places.
Result<Narrowed> narrow(const sass::Kernel& kernel, sass::Schedule wrong, int most_tried,
                        const GoesWrong& goes_wrong);

/// Both orders around what is left, with control bits.
std::string narrowed_text(const sass::Kernel& kernel, const Narrowed& narrowed);

}  // namespace warpwright::reorder
