// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/corpus.h"

namespace warpwright::corpus {

/// One element on which two machines differ.
struct Difference {
  std::uint32_t thread = 0, element = 0;
  std::vector<std::uint64_t> inputs;  ///< bits of the thread's first element of each
  std::uint64_t machine = 0, gpu = 0;
};

/// Two results of one case, element by element.
struct Comparison {
  std::uint64_t elements = 0, equal = 0;
  std::uint64_t other_nan = 0;  ///< NaN on both, with other bits
  std::uint64_t different = 0;  ///< neither
  std::uint64_t outside = 0;    ///< of those, not within what PTX promises
  double most_ulps = 0, most_relative = 0, most_absolute = 0;
  std::vector<Difference> first;  ///< some of the differences, spread over the run
};

Comparison compare(const Case& c, const std::vector<std::byte>& machine,
                   const std::vector<std::byte>& gpu,
                   const std::vector<std::vector<std::byte>>& inputs);

}  // namespace warpwright::corpus
