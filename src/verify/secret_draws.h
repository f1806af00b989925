// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/one_way.h"

namespace warpwright::verify {

/// A row of random numbers for one purpose. Who sees some of them learns neither the seed nor the
/// others.
class SecretDraws {
 public:
  SecretDraws(std::uint64_t seed, std::string purpose)
      : seed_(seed), purpose_(std::move(purpose)) {}

  std::uint64_t bits() { return one_way(seed_, purpose_, count_++); }

  /// Evenly spread in [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Evenly spread in 0 .. n-1; n is far below 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }

 private:
  std::uint64_t seed_;
  std::string purpose_;
  std::uint64_t count_ = 0;
};

}  // namespace warpwright::verify
