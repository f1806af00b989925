// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/lower/lowering.h"

// Volatile and relaxed loads are how lanes wait for a flag; they may read what another lane of
// their warp writes at any time. Where the value is a number to compute with, the order of the two
// matters, and nothing keeps lanes in step.

namespace warpwright::simt {

/// Marks strong loads whose value floating-point arithmetic uses, or that an integer operation
/// combines with another of them (kDataRead).
void mark_data_reads(LoweredKernel& k);

}  // namespace warpwright::simt
