// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/element_type.h"
#include "core/launch_plan.h"

namespace warpwright::reorder {

/// One pointer argument of a kernel.
struct WorkBuffer {
  enum class Role : int { in, out, inout };
  Role role = Role::in;
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;
};

/// One call: a plan, and what its arguments point at (by argument; scalars have no elements).
struct WorkCase {
  LaunchPlan plan;
  std::vector<WorkBuffer> buffers;
  std::map<std::string, double> size;  ///< of a task's call: the values of its size
};

/// What a kernel is run with while its schedules are tried. The first case is the timed one.
struct Workload {
  std::string kernel;
  std::vector<WorkCase> cases;
  std::string task;  ///< JSON text of the task whose calls these are; empty = none
};

/// The bytes of one input, by case, argument and set: the same for the same numbers.
using InputSource =
    std::function<Result<std::string>(std::size_t item, std::size_t argument, std::uint64_t set)>;

/// A JSON object {"kernel": NAME, "cases": [{"grid": [x,y,z], "block": [x,y,z], "shared": BYTES,
/// "arguments": [{"in": TYPE, "count": N}, {"out": ...}, {"inout": ...}, {"i32": VALUE}, ...]}]}.
Result<Workload> workload_from(std::string_view json);

/// Instead of grid, block and arguments a case may have a recorded plan: {"plan": PLAN, "buffers":
/// [{"role": "in", "type": "f32", "count": N}, ...]}, one row per argument, and "size": {NAME:
/// VALUE} where the workload has the "task" that it was recorded for. This writes such a one.
std::string workload_text(const Workload& workload);

/// Bytes of inputs for a set: the same for the same numbers. Sets differ in kind, too: plain
/// numbers, small whole ones, any bits, zeros, extremes.
std::string input_bytes(const WorkBuffer& buffer, std::uint64_t argument, std::uint64_t set);

/// Of these alone: what a workload without a task has. The workload must outlive it.
InputSource inputs_by_type(const Workload& workload);

}  // namespace warpwright::reorder
