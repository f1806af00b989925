// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "port/findings.h"
#include "port/names.h"
#include "port/source_text.h"

namespace warpwright::port {

/// The places of a source that rely on the number of lanes, or on lanes that run in step.
/// `repaired` says whether the translation keeps the meaning on wavefronts of 32 and of 64: a port
/// to HIP keeps CUDA's warps of 32 lanes, and a wavefront of 64 carries two of them.
std::vector<Hazard> find_hazards(const SourceText& source, Direction direction);

}  // namespace warpwright::port
