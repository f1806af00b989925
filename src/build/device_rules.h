// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/lint.h"
#include "core/launch_plan.h"
#include "core/task.h"
#include "ptx/census.h"
#include "ptx/entries.h"

namespace warpwright::build {

/// The rules of a task and rule set that are decided on what the compiler made, not on the text: no
/// macro, template or #if can hide from them.
struct DeviceRules {
  bool one_kernel = true;      ///< rule set strict
  bool full_precision = true;  ///< no arithmetic below single precision
  bool no_copy_call = false;
};
/// `rule_set` replaces the task's own unless empty.
DeviceRules device_rules(const Task& task, std::string_view rule_set);

/// The `__global__` function behind a PTX entry: all instances of one template have one name, two
/// overloads have two.
std::string kernel_function(const ptx::Entry& entry);
/// Whether the entry belongs to a library that comes with the compiler (cub, thrust, ...).
bool is_library_kernel(const ptx::Entry& entry);

/// After the build: the first broken rule, or nothing. Its verdict is `forbidden`.
std::optional<LintFinding> broken_by_code(const DeviceRules& rules,
                                          const std::vector<ptx::Entry>& entries,
                                          const std::vector<ptx::CensusRow>& census);

/// After recording. Entries are those of the same build.
std::optional<LintFinding> broken_by_plan(const DeviceRules& rules,
                                          const std::vector<ptx::Entry>& entries,
                                          const LaunchPlan& plan);

}  // namespace warpwright::build
