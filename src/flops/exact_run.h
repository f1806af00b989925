// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "flops/run.h"
#include "simt/state/launch.h"

namespace warpwright::flop {

/// A run in which every block of every launch is executed, so that all results are the program's.
struct ExactRequest {
  RunRequest run;
  simt::Checks checks = simt::Checks::fast;
  std::uint64_t budget = 0;      ///< warp instructions of all launches together
  std::uint64_t kept_bytes = 0;  ///< of fetched data that is kept beside its digest
};

/// Bytes that were copied from the device to the host.
struct Fetched {
  std::uint64_t bytes = 0;
  std::string digest;  ///< SHA-256
  std::string data;    ///< empty where it was too much
};

struct ExactRun {
  ProcessExit exit;
  std::vector<Fetched> fetched;  ///< in the order of the copies
  std::string printed;           ///< by kernels
  std::vector<std::string> faults, missing;
  std::set<simt::FaultKind> kinds;  ///< of the faults
  std::uint64_t launches = 0;
  std::uint64_t warp_instructions = 0;
  bool over_budget = false;
};

/// The error is the world's.
Result<ExactRun> run_exactly(const sandbox::Sandbox& sandbox, const BuiltProgram& program,
                             const ExactRequest& request, const StopSignal* stop = nullptr);

}  // namespace warpwright::flop
