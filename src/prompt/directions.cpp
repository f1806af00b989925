// SPDX-License-Identifier: Apache-2.0
#include "prompt/directions.h"

#include <array>

namespace warpwright::prompt {

namespace {

constexpr std::array<std::string_view, 8> kDirections = {
    "how global memory is accessed: wider loads and stores, whole sectors, read-only and streaming "
    "paths",
    "how data is reused: tiles in shared memory or registers, so that each value is loaded once",
    "how much work one thread does: elements per thread, unrolling, independent chains of "
    "instructions",
    "the shape of the launch: block size, blocks per multiprocessor, grid-stride or persistent "
    "blocks, a shape per size",
    "the number of passes: fused kernels, one pass instead of two, fewer launches",
    "how latency is hidden: asynchronous copies, double buffering, loads issued before they are "
    "needed",
    "the arithmetic: fewer or cheaper instructions, another order of operations, what the compiler "
    "can fold",
    "synchronisation: warp shuffles instead of barriers, fewer atomics, less contention",
};

}  // namespace

std::span<const std::string_view> directions() { return kDirections; }

std::string_view direction_text(int number) {
  const int count = static_cast<int>(kDirections.size());
  return kDirections[static_cast<std::size_t>(((number % count) + count) % count)];
}

}  // namespace warpwright::prompt
