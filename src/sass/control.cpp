// SPDX-License-Identifier: Apache-2.0
#include "sass/control.h"

namespace warpwright::sass {

namespace {

constexpr int kStallAt = 41, kYieldAt = 45, kWriteAt = 46, kReadAt = 49, kWaitAt = 52,
              kReuseAt = 58;

constexpr std::uint64_t bits(std::uint64_t word, int at, int count) {
  return (word >> at) & ((std::uint64_t{1} << count) - 1);
}

constexpr void put(std::uint64_t& word, int at, int count, std::uint64_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << at;
  word = (word & ~mask) | ((value << at) & mask);
}

// ptxas never writes other pairs: one cycle without a yield, twelve and more always with one.
constexpr int kFirstFreeStall = 2, kFirstYieldingStall = 12;

}  // namespace

Control control_of(const Words& words) {
  return {.stall = static_cast<int>(bits(words.high, kStallAt, 4)),
          .yields = bits(words.high, kYieldAt, 1) == 0,
          .write_barrier = static_cast<int>(bits(words.high, kWriteAt, 3)),
          .read_barrier = static_cast<int>(bits(words.high, kReadAt, 3)),
          .wait_mask = static_cast<unsigned>(bits(words.high, kWaitAt, 6)),
          .reuse = static_cast<unsigned>(bits(words.high, kReuseAt, 4))};
}

Words with_control(Words words, const Control& control, bool has_reuse) {
  put(words.high, kStallAt, 4, static_cast<std::uint64_t>(control.stall));
  put(words.high, kYieldAt, 1, control.yields ? 0 : 1);
  put(words.high, kWriteAt, 3, static_cast<std::uint64_t>(control.write_barrier));
  put(words.high, kReadAt, 3, static_cast<std::uint64_t>(control.read_barrier));
  put(words.high, kWaitAt, 6, control.wait_mask);
  if (has_reuse) put(words.high, kReuseAt, 4, control.reuse);
  return words;
}

bool yield_for(int stall, bool wanted) {
  if (stall == 0 || stall >= kFirstYieldingStall) return true;
  if (stall < kFirstFreeStall) return false;
  return wanted;
}

bool yield_is_allowed(const Control& control) {
  return yield_for(control.stall, control.yields) == control.yields;
}

}  // namespace warpwright::sass
