// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::data {

/// A source's tokens without comments and blanks; names are numbered in the order of their first
/// use, so that renaming changes nothing. Takes any bytes.
std::vector<std::string> normalised_tokens(std::string_view source);

/// A small digest of the set of runs of five tokens (minhash): sources with much in common have
/// much of it in common.
using Sketch = std::array<std::uint16_t, 64>;
Sketch sketch_of(std::string_view source);

/// Estimated share of runs of tokens that two sources have in common, 0 to 1.
double likeness(const Sketch& a, const Sketch& b);

}  // namespace warpwright::data
