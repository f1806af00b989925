// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simt/state/access_log.h"
#include "simt/state/report.h"
#include "simt/state/schedule.h"

namespace warpwright::simt {

/// off: only what keeps the machine itself safe (bounds). fast: bounds, alignment, barriers,
/// masks, all counts. full: also races and reads of uninitialised memory.
enum class Checks : std::uint8_t { off, fast, full };

/// How kernels are executed; results, counts and reports are the same. automatic: interpreted, and
/// compiled when a launch turns out to be long and the kernel one that gains by it.
enum class Engine : std::uint8_t { automatic, interpreted, compiled };

struct LaunchOptions {
  Checks checks = Checks::full;
  Engine engine = Engine::automatic;
  /// Automatic: change over to compiled code after so many blocks; 0: when it pays.
  std::uint64_t compile_after_blocks = 0;
  /// Host threads; 1 gives the same result every time, also for floating-point atomics.
  unsigned threads = 1;
  /// Warp instructions after which the launch is a hang and becomes a timeout.
  std::uint64_t max_warp_instructions = std::uint64_t{1} << 34;
  /// The limit holds for all that takes time. Of it a matrix instruction takes as much as its sums
  /// do, because to emulate one can take as long as thousands of others, and so does every warp
  /// when it ends. Otherwise only warps that run for long are asked: that finds what hangs.
  bool exact_work = false;
  double max_wall_s = 0;     ///< of this machine's time, then it is a timeout; 0: no limit
  bool cooperative = false;  ///< all blocks resident at once
  /// Blocks that the device surely runs at once: so many may wait for later ones without a
  /// cooperative launch. 0: none may.
  std::uint64_t co_resident = 0;
  Schedule schedule;                                  ///< another one than forward: one host thread
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;  ///< for malloc in device code
  /// Run only these blocks (x fastest), to sample a large launch; empty: all.
  std::vector<std::uint64_t> only_blocks;
  /// Gets every byte that is accessed; then the launch is interpreted, by one thread.
  AccessLog* log = nullptr;
  /// With it: every byte that may have been accessed before the launch before this one has ended,
  /// because neither the warp nor a barrier behind it has waited for that (griddepcontrol.wait).
  AccessLog* early_log = nullptr;
};

struct Launch {
  std::string_view kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> params;
  LaunchOptions options;
  Dim3 cluster = {};  ///< in blocks; 1 x 1 x 1: what the kernel's text requires, or none
};

}  // namespace warpwright::simt
