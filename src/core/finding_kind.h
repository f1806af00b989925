// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/choice.h"

namespace warpwright {

inline constexpr std::array<std::string_view, 52> kFindingKinds = {
    "note",      // a remark for people
    "sampling",  // how times were taken: nothing that a kernel's author can act on
    "other",     // of another version of this program
    // What the judge counted, measured or read.
    "instructions", "uncoalesced", "bank_conflict", "divergence", "atomic_contention",
    "local_memory", "low_occupancy", "lower_bound", "bottleneck", "counters", "stalls",
    "compiler_fault", "implicit_flops", "unmeasured",
    // Faults, of the SIMT machine, of a GPU and of the tools.
    "out_of_bounds", "misaligned", "use_after_free", "uninitialised_read", "shared_race",
    "global_race", "conflicting_stores", "divergent_barrier", "deadlock", "sync_mask", "trap",
    "assertion", "timeout", "warp_race", "barrier_mismatch", "invalid_launch", "out_of_memory",
    "out_of_resources", "illegal_address", "illegal_instruction", "invalid_address_space",
    "invalid_pc", "invalid_ptx", "launch_failed", "cooperative_too_large", "cluster_too_large",
    "not_supported", "device_limit", "shared_memory", "stack_error", "heap_error", "stream_race",
    "barrier_count", "narrow_scope", "benign_race"};

/// What a finding or a fault is about. Written to disk by name.
using FindingKind = Choice<kFindingKinds>;

}  // namespace warpwright
