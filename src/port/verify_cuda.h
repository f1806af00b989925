// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "port/project.h"
#include "port/prove.h"
#include "port/run_proof.h"

namespace warpwright::port {

/// Whether both programs print the same and end alike on a GPU; nothing: that could not be found
/// out.
struct CudaVerdict {
  std::optional<bool> same;
  std::vector<std::string> notes;         ///< reasons
  Hindrance hindrance = Hindrance::none;  ///< the first, where something is not known
};

/// Builds the program before and the one after the port with nvcc, the HIP one with our headers in
/// the place of HIP's, and runs both on the GPU of this machine. They are built in the sandbox;
/// they run outside of it, as it has no GPU, with a limit of time. The error is the world's.
Result<CudaVerdict> verify_on_gpu(const CarriedProject& project, Direction direction,
                                  const RunProof& proof, const PortTools& tools,
                                  const sandbox::Sandbox& sandbox,
                                  const StopSignal* stop = nullptr);

}  // namespace warpwright::port
