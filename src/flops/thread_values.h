// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flops/control_flow.h"
#include "flops/formula.h"

namespace warpwright::flop {

/// Registers of a kernel as formulas in threadIdx, blockIdx, blockDim, gridDim and arguments.
class ThreadValues {
 public:
  /// Names of the arguments by their parameters' names.
  ThreadValues(const ptx::Function& function, const ControlFlow& flow,
               const std::unordered_map<std::string_view, std::string>& arguments);

  /// "n > 0" of a predicate that holds at the end of a block, or of its opposite. Absent: it
  /// depends on data, on a loop, or on something that has no formula.
  [[nodiscard]] std::optional<std::string> condition(std::size_t block, std::string_view predicate,
                                                     bool negated) const;
  /// How often a loop's body is run once it is entered.
  [[nodiscard]] std::optional<Formula> trips(const FlowLoop& loop) const;

 private:
  /// An instruction.
  struct Place {
    std::size_t statement = 0, block = 0;
  };
  struct Induction {
    Formula begin;
    double step = 0;
    double ahead = 0;  ///< what is compared is so much beyond what the loop carries
  };

  [[nodiscard]] const ptx::Instruction& at(const Place& place) const;
  [[nodiscard]] Place end_of(std::size_t block) const;
  /// Whether one instruction is executed before another whenever that one is.
  [[nodiscard]] bool before(const Place& first, const Place& then) const;
  /// The only definition that a use can see.
  [[nodiscard]] std::optional<Place> definition(std::string_view name, const Place& use) const;
  [[nodiscard]] std::optional<Formula> value(const ptx::Operand& operand, const Place& use) const;
  [[nodiscard]] std::optional<Formula> computed(const Place& place) const;
  [[nodiscard]] std::optional<Formula> compute(const ptx::Instruction& ins,
                                               const Place& place) const;
  [[nodiscard]] std::optional<std::string> condition_at(std::string_view predicate, bool negated,
                                                        const Place& use) const;
  [[nodiscard]] std::optional<Induction> induction(std::string_view name, const Place& use,
                                                   const FlowLoop& loop) const;
  [[nodiscard]] std::optional<Formula> trips_by(std::size_t block, const FlowLoop& loop) const;

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const std::unordered_map<std::string_view, std::string>& arguments_;
  std::unordered_map<std::string_view, std::vector<Place>> definitions_;
  mutable std::unordered_map<std::size_t, std::optional<Formula>> known_;  ///< by statement
  mutable int depth_ = 0;
};

}  // namespace warpwright::flop
