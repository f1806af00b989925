// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sass/program.h"

namespace warpwright::sass {

/// Pipes that work in order. Of loads from shared memory one without a scoreboard is there when a
/// later one's is. Conversions without one are rare, and may as well take a known time. Doubles
/// have scoreboards where an architecture has few units for them.
enum class Queue : int { none, shared_loads, conversions, doubles };
Queue queue_of(const Instruction& instruction);
inline bool returns_in_order(const Instruction& instruction) {
  return queue_of(instruction) == Queue::shared_loads;
}

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

  /// Registers that a wait on these scoreboards makes free: for all, or for writers.
  [[nodiscard]] RegisterSet results_of(unsigned mask) const;
  [[nodiscard]] RegisterSet sources_of(unsigned mask) const;
  /// Registers that an instruction touches whose results are under way, and that it writes while
  /// they are still to be read. Whose setter has the opposite guard does not count, and what comes
  /// behind it through the same pipe writes behind it, too.
  [[nodiscard]] RegisterSet unwritten(const Instruction& instruction) const;
  [[nodiscard]] RegisterSet unread(const Instruction& instruction) const;

 private:
  /// A guard as a number, 0 = none or no longer known.
  using GuardCode = std::uint16_t;
  static GuardCode code_of(const Guard& guard);
  /// What has no scoreboard is guarded by that of a later instruction of the same pipe.
  void ride(const Instruction& instruction);
  [[nodiscard]] bool is_unwritten(std::size_t i) const {
    return (writes_[i] | open_writes_[i]) != 0;
  }
  [[nodiscard]] bool is_unread(std::size_t i) const { return (reads_[i] | open_reads_[i]) != 0; }
  void join_guards(std::size_t index, const Pending& other);
  void join_queues(std::size_t index, const Pending& other);
  /// One more result of a register: the wait for it stands for those of its pipe before it.
  void add_result(std::size_t index, const Instruction& instruction);
  [[nodiscard]] static bool excludes(GuardCode code, const Instruction& instruction);

  std::array<GuardCode, kRegisters> writer_guard_ = {}, reader_guard_ = {};
  /// The pipe of all who write or read a register late; none where they are of several.
  std::array<Queue, kRegisters> writer_queue_ = {}, reader_queue_ = {};
  /// Read by an instruction that goes through memory: others of that way come behind it.
  RegisterSet read_in_order_;
  /// A set of masks of scoreboards, bit m for the mask m: of each, one scoreboard has to be waited
  /// for. What is open has no scoreboard of its own: later instructions of its pipe add theirs.
  using Masks = std::uint64_t;
  std::array<Masks, kRegisters> writes_ = {}, open_writes_ = {}, reads_ = {}, open_reads_ = {};
};

/// Registers that instructions use before a scoreboard says that they may, as offset and register.
using EarlyUses = std::set<std::pair<std::uint64_t, std::size_t>>;

/// Reads its sources some time after its issue: until a scoreboard says so, nobody writes them.
bool reads_late(const Instruction& instruction);

/// The scoreboards that an instruction waits for before it issues, DEPBAR's included.
unsigned waits_of(const Instruction& instruction);

/// What may be pending where each block begins.
std::vector<Pending> pending_at_entry(const Function& function);

}  // namespace warpwright::sass
