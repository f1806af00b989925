// SPDX-License-Identifier: Apache-2.0
// The runtime as one translation unit.
// clang-format off
#include "state.cpp"
#include "memory.cpp"
#include "managed.cpp"
#include "launch.cpp"
#include "streams.cpp"
#include "device.cpp"
#include "random.cpp"
#include "textures.cpp"
// clang-format on
