// SPDX-License-Identifier: Apache-2.0
// One translation unit: the machine that judges compiles this once, and the standard headers are
// most of the work.
#include "state.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "timeline.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "memory.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "launch.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "device.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "streams.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "graphs.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "textures.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "walls.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "clocks.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "doors.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "call.cpp"  // NOLINT(bugprone-suspicious-include)
//
#include "main.cpp"  // NOLINT(bugprone-suspicious-include)
