// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright::device {

/// What a GPU's memory looks like before a call: random words under a mask, with bits that all of
/// them have. A kernel that takes one kind for "not mine" meets another at its next call.
struct PoisonKind {
  std::string_view name;
  std::uint32_t keep = ~0U;  ///< bits of the random word that stay
  std::uint32_t set = 0;     ///< bits that every word has
  bool is_constant = false;  ///< `set` is a number of this fill alone
};

/// Follows from the key of a fill. Of what is looked at afterwards, each word must be hard
/// to guess: then only kinds with random bits are drawn.
PoisonKind poison_kind(std::uint64_t key, bool watched);

/// The four words from 16 * vector on, as the kernel writes them (cuda_fill.cpp).
struct PoisonWords {
  std::uint32_t w[4];
};
PoisonWords poison_words(std::uint64_t key, std::uint64_t vector, const PoisonKind& kind);

}  // namespace warpwright::device
