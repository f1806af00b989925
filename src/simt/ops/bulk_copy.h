// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/checks/access.h"

// What copies by the asynchronous unit have in common: one lane moves many bytes.

namespace warpwright::simt {

inline constexpr u32 kBulkPiece = 16;

/// Resolves a run of bytes for one lane, in pieces of `piece` (a power of two that divides both),
/// many at a time so that sectors are counted once. Null when a part of it was a fault.
std::byte* resolve_run(Warp& w, const Ins* i, u32 lane, u64 at, u32 bytes, Access kind, bool shared,
                       u32 piece = kBulkPiece);

/// One copy to shared memory that is complete when somebody looks at its mbarrier.
void send(Warp& w, const Ins* i, u32 lane, const std::byte* source, u32 bytes, u64 to, u64 barrier);

/// The same place in the block of that rank.
u64 in_block(u64 address, u32 rank);

}  // namespace warpwright::simt
