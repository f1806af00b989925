// SPDX-License-Identifier: Apache-2.0
#pragma once

// Suites of many judgements take longer under the sanitizers than a usual run has: it takes a share
// of them.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/mix.h"

namespace warpwright {

/// All members run where somebody asks for them.
inline bool whole_suites() {
  return std::getenv("WARPWRIGHT_SLOW_TESTS") != nullptr ||
         std::getenv("WARPWRIGHT_WHOLE_ZOO") != nullptr;
}

/// Whether a usual run, which takes one in `share` members, takes this one. WARPWRIGHT_ZOO_SEED=N
/// makes another choice.
inline bool in_this_run(std::string_view name, std::uint64_t share) {
  if (whole_suites()) return true;
  const char* seed = std::getenv("WARPWRIGHT_ZOO_SEED");
  std::uint64_t mixed = seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
  for (const char c : name) mixed = mixed_bits(mixed ^ static_cast<unsigned char>(c));
  return mixed % share == 0;
}

/// The names of which a usual run takes one in `share`, without those that take minutes.
inline std::vector<std::string> some_of(std::vector<std::string> names, std::uint64_t share,
                                        std::initializer_list<std::string_view> slow = {}) {
  std::erase_if(names, [&](const std::string& name) {
    const bool is_slow = std::find(slow.begin(), slow.end(), name) != slow.end();
    return !in_this_run(name, share) || (is_slow && !whole_suites());
  });
  return names;
}

}  // namespace warpwright
