// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/task.h"
#include "verify/bytes.h"

namespace warpwright::verify {

/// A rule of a task on the work of a call, which no output proves: it is decided by counting the
/// instructions of a run with right results.
struct WorkRule {
  std::string_view name;
  /// A size that nobody knows beforehand, at which the rule is clear. None where a task has none.
  std::optional<TaskSize> (*draw_size)(const Task& task, std::uint64_t seed);
  /// How many instructions a call on these inputs takes at least, whatever the method that the
  /// rule allows; 0 where nothing can be told.
  std::uint64_t (*least_instructions)(const Task& task, std::span<const Bytes> inputs);
  /// What is wrong with fewer, for people and models: a clause about the call, then what the task
  /// asks for.
  std::string (*accusation)(std::uint64_t least, std::uint64_t executed);
  std::string_view demand;
};

/// The rule of this task, or null. Tasks have at most one.
const WorkRule* work_rule_of(const Task& task);

}  // namespace warpwright::verify
