// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sass/dependence.h"
#include "sass/latency.h"
#include "sass/program.h"

namespace warpwright::sass {

/// What can be wrong with a schedule. Written in reports by name.
enum class HazardKind : int {
  registers,   ///< an order between a register's writers and readers is broken
  memory,      ///< an order between accesses that may meet is broken
  scoreboard,  ///< something is used before the scoreboard that guards it was waited for
  latency,     ///< too few cycles between two instructions
  reuse,       ///< a kept operand is read after its register was written
  side_table,  ///< what a table beside the code names is not where it says
  form,        ///< other bits than control bits differ, or a yield that ptxas never writes
};
std::string_view name_of(HazardKind kind);

struct Hazard {
  HazardKind kind = HazardKind::form;
  std::string function;
  std::uint64_t offset = 0;  ///< of the later instruction, in its function
  std::string message;
};

/// Hazards of any cubin, by ptxas's own contract: every register that a scoreboard guards is waited
/// for, distances are at least those of the table, kept operands still hold, side tables point at
/// what they speak of. That an order is the wrong one cannot be seen without the right one.
std::vector<Hazard> check(const Program& program, const LatencyTable& table);
std::vector<Hazard> check(const Function& function, const LatencyTable& table);
/// The tables beside the code.
std::vector<Hazard> check_tables(const Program& program);

/// Hazards of a function that claims to be another schedule of `original`: all dependences and
/// distances, and that nothing but places and control bits differs.
std::vector<Hazard> check_against(const Function& original, std::span<const Words> changed,
                                  const LatencyTable& table);
/// The same with the original's graphs and early uses (replay.h) at hand.
std::vector<Hazard> check_against(const Function& original, const std::vector<BlockGraph>& graphs,
                                  const EarlyUses& early, std::span<const Words> changed);
std::vector<Hazard> check_against(const Program& original, const Cubin& changed,
                                  const LatencyTable& table);

}  // namespace warpwright::sass
