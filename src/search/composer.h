// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "search/trial.h"

namespace warpwright::search {

/// Writes the messages of a question. Strategies decide what to ask next, composers how to say it.
class Composer {
 public:
  virtual ~Composer() = default;
  virtual Result<std::vector<llm::Message>> initial() = 0;
  /// Asks for a faster kernel than the winner's; `tried` are earlier trials worth mentioning.
  virtual Result<std::vector<llm::Message>> optimise(const Trial& winner,
                                                     std::span<const Trial> tried) = 0;
  /// Asks for a correction, in the words of the trial's own kind of failure.
  virtual Result<std::vector<llm::Message>> repair(const Trial& failed) = 0;

  // The following make a question of their own, without the dialogue before it.

  /// Continues from `last`: its kernel in full, and in a line each the trials before it, oldest
  /// first, and the earlier continuations of it, from which the answer must differ.
  virtual Result<std::vector<llm::Message>> another_turn(const Trial& last,
                                                         std::span<const Trial> seen) = 0;
  /// Asks to change the parent in one direction (any number; the same one means the same
  /// direction). `siblings` are earlier changes of the same parent; the answer must differ from
  /// them.
  virtual Result<std::vector<llm::Message>> change(const Trial& parent,
                                                   std::span<const Trial> siblings,
                                                   int direction) = 0;
  /// Asks for every change of the fastest kernel that pays, in one answer. `tried`: what is known
  /// of other kernels, whatever they came from.
  virtual Result<std::vector<llm::Message>> improve(const Trial& best,
                                                    std::span<const Trial> tried) = 0;
  /// Asks for another design than the fastest kernel's, because that one keeps it from the floor.
  virtual Result<std::vector<llm::Message>> redesign(const Trial& best,
                                                     std::span<const Trial> tried) = 0;
  /// Asks for one kernel with what makes each of two valid ones fast.
  virtual Result<std::vector<llm::Message>> combine(const Trial& first, const Trial& second) = 0;
};

/// The dialogue that led to a trial, its answer, and a new question. Long dialogues keep their
/// first question and the last turns.
std::vector<llm::Message> continue_dialogue(const Trial& trial, std::string question);

/// "repair-compile" and so on: which refined prompt a failed trial gets.
std::string repair_kind_name(Verdict verdict);

}  // namespace warpwright::search
