// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::sass {

inline constexpr int kNoBarrier = 7;
inline constexpr int kBarriers = 6;
inline constexpr int kLongestStall = 15;

/// One machine instruction as it lies in memory, Volta to Hopper.
struct Words {
  std::uint64_t low = 0, high = 0;

  bool operator==(const Words&) const = default;
};

/// What an instruction tells the scheduler. These bits are all that we ever change in a word.
struct Control {
  int stall = 0;                   ///< cycles before the warp's next instruction may issue
  bool yields = false;             ///< the scheduler may prefer another warp
  int write_barrier = kNoBarrier;  ///< released when the destination is written
  int read_barrier = kNoBarrier;   ///< released when the sources have been read
  unsigned wait_mask = 0;          ///< scoreboards that must be free before it issues
  unsigned reuse = 0;              ///< bit per source slot: keep the operand for the next reader

  bool operator==(const Control&) const = default;
};

Control control_of(const Words& words);
/// The same instruction under other control. `reuse` is written only where the word has such bits:
/// some opcodes have other things there.
Words with_control(Words words, const Control& control, bool has_reuse);

/// Which of the two yield bits goes with a stall: one of them, or the instruction's own.
bool yield_for(int stall, bool wanted);
bool yield_is_allowed(const Control& control);

}  // namespace warpwright::sass
