// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "base/stop.h"
#include "device/device.h"

namespace warpwright::evaluate {

/// A tool of the CUDA toolkit: in PATH, in CUDA_HOME or CUDA_PATH, or at its usual place.
std::optional<std::filesystem::path> find_cuda_tool(std::string_view name);

/// A program that replays plans, run under a tool that watches it.
struct WatchedReplay {
  std::filesystem::path tool;        ///< compute-sanitizer or ncu
  std::vector<std::string> program;  ///< what it runs, with arguments
  std::filesystem::path folder;      ///< for logs; also the program's TMPDIR
  std::string_view source_file;      ///< the candidate's name in line information
  double limit_s = 60;               ///< for all tools together
};

/// One run under the tool: how it ended, and what it wrote to `log` (which its arguments name).
struct WatchedRun {
  ProcessExit exit;
  std::optional<std::string> log;
};
Result<WatchedRun> run_watched(const WatchedReplay& replay, std::vector<std::string> arguments,
                               const std::filesystem::path& log, const StopSignal& stop);

/// "; it said: ..." with the end of what a process said, or nothing.
std::string last_words(const ProcessExit& exit);

/// memcheck, racecheck, initcheck and synccheck, until one finds something. The error is for a
/// tool that did not work or did not end in time.
Result<std::vector<device::Fault>> run_sanitizers(const WatchedReplay& replay,
                                                  const StopSignal& stop);

}  // namespace warpwright::evaluate
