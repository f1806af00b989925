// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/launch_plan.h"
#include "core/verdict.h"

namespace warpwright::build {

/// What one process said of one call. All of it is the word of an untrusted process.
struct Recording {
  /// Offsets of addresses are the process's own numbers; parameters and uploads have its pointers.
  LaunchPlan plan;
  std::vector<bool> past;  ///< by buffer: an argument of an earlier call of the same process
};

/// What a process had to say: a recording of each call it made, a reason why there is none, or
/// neither.
struct Testimony {
  std::vector<Recording> recordings;
  std::optional<Verdict> verdict;  ///< host_error or launch_error
  std::string message;
  std::uint64_t place = 0;  ///< in the host part, 0 = not known
};

/// Reads what the recorder (recorder/wire.h) has written. Total: any bytes give a testimony.
Testimony read_testimony(std::string_view bytes);

/// The addresses that a process with this seed had for the plan's buffers, in their order.
std::vector<std::uint64_t> addresses_of(const LaunchPlan& plan, std::uint64_t seed);

/// Two recordings of one call, made by processes with different addresses.
struct Pair {
  const Recording& first;
  std::uint64_t first_seed;
  const Recording& second;
  std::uint64_t second_seed;
};

/// A recording of a call that was not the first of its process.
struct LaterCall {
  const Recording& recording;
  std::uint64_t seed;
};

/// Whether the kernel reads this byte of its parameters at all; padding is not read.
using ReadsParameter = std::function<bool(std::string_view kernel, std::size_t position)>;

/// The plan that both recordings mean: words that moved with a buffer are pointers to it, all other
/// bytes are data and must be equal. The error says what solve did differently the second time.
Result<LaunchPlan> common_plan(const Pair& pair, const ReadsParameter& reads);

/// Whether a later call of a process does what `plan`, the first call of one, does: the same
/// launches and copies in the same order, on its own arguments. It may keep memory that an earlier
/// call allocated, and leave out what set up such memory or variables. The error says what it does
/// instead.
Status does_the_same(const LaunchPlan& plan, const LaterCall& later, const ReadsParameter& reads);

}  // namespace warpwright::build
