// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "flops/exact_run.h"
#include "flops/program.h"
#include "port/outputs.h"

namespace warpwright::port {

/// What two runs did otherwise: how they ended, how many kernels they launched and how much these
/// did, what they printed, what they copied to the host. Nothing: they did the same.
std::optional<std::string> run_difference(const flop::ExactRun& expected, const flop::ExactRun& got,
                                          Tolerance tolerance);

/// Why a run of the original shows nothing: a signal ended it. Empty: it ended by itself.
std::string crash_of(const flop::ExactRun& original);

/// Whether a program has floating-point sums whose order depends on the schedule.
bool adds_in_any_order(const flop::BuiltProgram& program);

/// Lanes of a wavefront walk together, those of a warp do not: no fault on the devices that HIP is
/// for.
bool is_fault_of_warps(simt::FaultKind kind);

}  // namespace warpwright::port
