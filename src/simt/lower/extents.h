// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/lower/lowering.h"

// Which variable of shared or local memory an access means. Variables lie side by side: an index
// past the end of one lands in the next, where only the text still tells that it was not meant.

namespace warpwright::simt {

/// By row of AccessStats: the bytes of the one variable that the address was computed from, or all
/// bytes where that is not known: a pointer that went through memory, a shuffle or an exclusive or,
/// or that was chosen among variables, is not followed.
std::vector<Extent> find_extents(const LoweredKernel& k);

}  // namespace warpwright::simt
