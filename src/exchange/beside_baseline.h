// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/task.h"

namespace warpwright::exchange {

/// How far a kernel's results may be from the baseline's, which is no more exact than they are.
struct Nearness {
  double relative = 0;  ///< to an element, and to the root mean square of all of them
  double absolute = 0;
  bool bits = false;  ///< each word must have the same bits; else what is no number is not compared
};
/// argument: an output or an inout of the task.
Nearness nearness(const Task& task, const TaskArgument& argument);

/// The lines of a source that include something. A source that is put into a namespace, because its
/// kernels may be called like another's, must not include anything there first.
std::string hoisted_includes(const std::string& source);

/// Whether the source holds assembly, by which features of one architecture alone are reached.
bool has_assembly(const std::string& source);

}  // namespace warpwright::exchange
