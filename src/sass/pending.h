// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sass/program.h"

namespace warpwright::sass {

/// Which registers wait for which scoreboards at one point: results that are still under way, and
/// sources that are still to be read.
class Pending {
 public:
  /// Waiting for these scoreboards: what they protect is there.
  void wait(unsigned mask);
  /// The instruction was issued: what it leaves pending.
  void issue(const Instruction& instruction);
  /// Joins what may be pending on another way; whether that changed anything.
  bool merge(const Pending& other);

  /// Scoreboards that must be waited for before reading or writing the register.
  [[nodiscard]] unsigned written_by(std::size_t index) const { return writes_[index]; }
  /// Scoreboards any of which says that the register may be written.
  [[nodiscard]] unsigned read_by(std::size_t index) const;
  /// Registers that a wait on these scoreboards makes free: for all, or for writers.
  [[nodiscard]] RegisterSet results_of(unsigned mask) const;
  [[nodiscard]] RegisterSet sources_of(unsigned mask) const;
  /// Registers that an instruction touches whose results are under way, and that it writes while
  /// they are still to be read. Whose setter has the opposite guard does not count.
  [[nodiscard]] RegisterSet unwritten(const Instruction& instruction) const;
  [[nodiscard]] RegisterSet unread(const Instruction& instruction) const;

 private:
  /// A guard as a number, 0 = none or no longer known.
  using GuardCode = std::uint16_t;
  static GuardCode code_of(const Guard& guard);
  void join_guards(std::size_t index, const Pending& other);
  [[nodiscard]] static bool excludes(GuardCode code, const Instruction& instruction);

  std::array<GuardCode, kRegisters> writer_guard_ = {}, reader_guard_ = {};
  /// Read by an instruction that goes through memory: others of that way come behind it.
  RegisterSet read_in_order_;
  std::array<std::uint8_t, kRegisters> writes_ = {};
  /// Bit read_barrier * 7 + write_barrier: either of the two ends it.
  std::array<std::uint64_t, kRegisters> reads_ = {};
};

/// The scoreboards that an instruction waits for before it issues, DEPBAR's included.
unsigned waits_of(const Instruction& instruction);

/// What may be pending where each block begins.
std::vector<Pending> pending_at_entry(const Function& function);

}  // namespace warpwright::sass
