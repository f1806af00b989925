// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
};

/// What a kernel is run with while its schedules are tried. The first case is the timed one.
struct Workload {
  std::string kernel;
  std::vector<WorkCase> cases;
};

/// A JSON object {"kernel": NAME, "cases": [{"grid": [x,y,z], "block": [x,y,z], "shared": BYTES,
/// "arguments": [{"in": TYPE, "count": N}, {"out": ...}, {"inout": ...}, {"i32": VALUE}, ...]}]}.
Result<Workload> workload_from(std::string_view json);

/// Instead of grid, block and arguments a case may have a recorded plan: {"plan": PLAN, "buffers":
/// [{"role": "in", "type": "f32", "count": N}, ...]}, one row per argument. This writes such a one.
std::string workload_text(const Workload& workload);

/// Bytes of inputs for a set: the same for the same numbers. Sets differ in kind, too: plain
/// numbers, small whole ones, any bits, zeros, extremes.
std::string input_bytes(const WorkBuffer& buffer, std::uint64_t argument, std::uint64_t set);

}  // namespace warpwright::reorder
