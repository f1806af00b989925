// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/ops/alu.h"
#include "simt/state/program.h"

// What the compiled mode knows of a kernel before it writes any text: its registers' places as
// variables, which of them hold a value at each instruction, and how values differ between lanes
// while all 32 lanes walk together.

namespace warpwright::simt {

enum class Shape : std::uint8_t { none, uniform, affine, vector };

/// A value of a converged warp. Affine: first + lane * stride, modulo the width.
struct ValueFacts {
  Shape shape = Shape::none;
  bool stride_known = false;
  std::int64_t stride = 0;
  std::uint32_t zero_bits = 0;  ///< low bits of the first lane's value that are zero
  bool divides = false;         ///< a predicate that lanes may disagree about once in a while
  bool operator==(const ValueFacts&) const = default;
};

ValueFacts uniform_facts(std::uint32_t zero_bits);
ValueFacts vector_facts();
/// What is true of both.
ValueFacts joined(const ValueFacts& a, const ValueFacts& b);

/// What kind of step an instruction is for compiled code.
enum class Step : std::uint8_t {
  operation,  ///< an OpRow with a native form
  access,     ///< a AccessForm, with a way out to the handler
  nothing,
  call,      ///< the handler, which always goes on with the next instruction
  leaving,   ///< the handler, which may go anywhere; registers must be in place
  exchange,  ///< a shuffle or synchronisation of all lanes, with constants
  suspend,   ///< a barrier: leaves, and comes back behind itself
  branch,
  jump,
  end,  ///< leaves for good: exits, tables
};

struct NativeStep {
  Step step = Step::call;
  const OpRow* op = nullptr;
  const AccessForm* access = nullptr;
};

/// A place of a register as a variable.
struct Slot {
  Ref ref = 0;
  std::uint8_t width = 4;  ///< bytes a lane; 0: predicate
  bool fixed = false;      ///< tid and the like: never written
  ValueFacts fixed_facts;
};

/// The state of all slots at one point.
struct SlotState {
  std::vector<ValueFacts> facts;
  std::vector<bool> dirty;  ///< newer than what is in the register's place
};

struct ShapeOptions {
  bool whole_rows = false;  ///< tid.x of a warp's lanes are neighbours, tid.y and tid.z one value
  bool full_checks = false;
};

class KernelShapes {
 public:
  KernelShapes(const Kernel& kernel, ShapeOptions options) : k_(kernel), options_(options) {}
  /// False when the kernel has something that compiled code cannot do at all.
  bool run();

  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  [[nodiscard]] const std::vector<NativeStep>& steps() const { return steps_; }
  /// The slot of a register; -1 for constants.
  [[nodiscard]] std::int32_t slot_of(Ref ref) const;
  /// The constant behind a reference.
  [[nodiscard]] const Constant* constant_of(Ref ref) const;
  [[nodiscard]] const SlotState& entry_state(std::uint32_t block) const { return in_[block]; }
  [[nodiscard]] const std::vector<bool>& live_before(std::uint32_t id) const { return live_[id]; }
  [[nodiscard]] const std::vector<bool>& live_into(std::uint32_t block) const {
    return live_[k_.blocks[block].first];
  }
  /// One past the last executed instruction of a block.
  [[nodiscard]] std::uint32_t end_of(std::uint32_t block) const { return ends_[block]; }
  [[nodiscard]] std::vector<std::uint32_t> successors(std::uint32_t block) const;
  /// Whether interpreted lanes may come together at this block.
  [[nodiscard]] bool is_meeting(std::uint32_t block) const { return meeting_[block]; }
  [[nodiscard]] bool is_reached(std::uint32_t block) const { return reached_[block]; }

  /// The value of a constant that is the same for all launches.
  [[nodiscard]] std::uint64_t literal(Ref ref, bool& known) const;
  [[nodiscard]] ValueFacts facts_of(const SlotState& s, Ref ref) const;
  /// The state behind an instruction. `live` is what holds a value behind it.
  void advance(SlotState& s, std::uint32_t id) const;
  [[nodiscard]] ValueFacts result_of(const SlotState& s, std::uint32_t id) const;

 private:
  bool classify();
  [[nodiscard]] NativeStep step_of(std::uint32_t id) const;
  [[nodiscard]] bool is_exchange(const Ins& i) const;
  void find_slots();
  void add_slot(Ref ref, std::uint8_t width);
  void find_live();
  void find_values();
  bool mark_meetings();
  [[nodiscard]] bool guarded(const Ins& i) const { return (i.guard & kConstantBit) == 0; }
  template <class Visit>
  void for_reads(std::uint32_t id, Visit visit) const;
  template <class Visit>
  void for_writes(std::uint32_t id, Visit visit) const;
  [[nodiscard]] ValueFacts operation_result(const SlotState& s, const Ins& i,
                                            const OpRow& op) const;
  const Kernel& k_;
  ShapeOptions options_;
  std::vector<NativeStep> steps_;
  std::vector<std::uint32_t> ends_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_by_word_;
  std::vector<std::vector<bool>> live_;  ///< before each instruction
  std::vector<SlotState> in_;
  std::vector<std::vector<bool>> forced_;  ///< by block: slots that are vectors on entry
  std::vector<bool> meeting_, reached_;
};

}  // namespace warpwright::simt
