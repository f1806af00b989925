// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "build/compiler.h"

namespace warpwright::evaluate {

/// Builds a candidate for a device of AMD: its own compiler must take it and says what its kernels
/// need; what runs is the same source compiled for the SIMT machine, with the device's wavefronts.
/// A candidate in CUDA is carried to HIP first.
Result<build::BuildOutcome> build_hip(build::BuildRequest request, const build::Builder& builder,
                                      const StopSignal* stop);

}  // namespace warpwright::evaluate
