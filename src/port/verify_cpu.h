// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"
#include "port/project.h"
#include "port/run_proof.h"

namespace warpwright::port {

/// Whether the program before and the one after the port do the same; nothing: that could not be
/// found out.
struct CpuVerdict {
  std::optional<bool> wave32, wave64;
  std::vector<std::string> notes;         ///< reasons
  Hindrance hindrance = Hindrance::none;  ///< the first, where something is not known
};

/// Runs both programs on the SIMT machine, the HIP one with wavefronts of 32 and of 64 lanes, and
/// compares what they print, how they end and what they copy to the host. The error is the world's.
Result<CpuVerdict> verify_on_cpu(const CarriedProject& project, Direction direction,
                                 const RunProof& proof, const build::Builder& builder,
                                 const StopSignal* stop = nullptr);

}  // namespace warpwright::port
