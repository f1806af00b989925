// SPDX-License-Identifier: Apache-2.0
// What a launch leaves behind for the host: the numbers of cudaError_t, and what ends a program.
#pragma once

#include <cstdint>

#include "simt/state/report.h"

namespace warpwright::flop {

constexpr std::int32_t kInvalidValue = 1;
constexpr std::int32_t kOutOfMemory = 2;
constexpr std::int32_t kInvalidConfiguration = 9;
constexpr std::int32_t kInvalidSymbol = 13;
constexpr std::int32_t kInvalidFunction = 98;
constexpr std::int32_t kIllegalAddress = 700;
constexpr std::int32_t kAssertion = 710;
constexpr std::int32_t kLaunchFailure = 719;

/// What ends a program on a GPU. All else runs there, too, whatever it is worth.
constexpr bool ends_program(simt::FaultKind kind) {
  using K = simt::FaultKind;
  return kind == K::out_of_bounds || kind == K::misaligned || kind == K::use_after_free ||
         kind == K::deadlock || kind == K::trap || kind == K::assertion;
}

}  // namespace warpwright::flop
