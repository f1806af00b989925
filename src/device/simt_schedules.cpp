// SPDX-License-Identifier: Apache-2.0
#include "device/simt_schedules.h"

#include "base/one_way.h"

namespace warpwright::device {

namespace {

constexpr std::uint64_t kTimesAsMuch = 50, kAtLeast = 2'000'000;
constexpr std::uint32_t kFewest = 2, kChoices = 3;
constexpr std::uint32_t kMany = 6;  // as many as a shuffled schedule starts with

}  // namespace

std::vector<simt::Schedule> other_schedules(std::uint64_t seed, Lanes lanes) {
  using Kind = simt::Schedule::Kind;
  const std::uint64_t secret = one_way(seed, "schedule");
  return {{.kind = Kind::backward},
          lanes == Lanes::apart
              ? simt::Schedule{.kind = Kind::shuffled, .seed = secret}
              : simt::Schedule{.kind = Kind::few, .seed = secret, .resident = kMany},
          {.kind = Kind::few,
           .seed = secret + 1,
           .resident = kFewest + static_cast<std::uint32_t>(secret >> 32) % kChoices}};
}

std::uint64_t work_under_other_schedules(std::uint64_t forward) {
  return kAtLeast + kTimesAsMuch * forward;
}

}  // namespace warpwright::device
