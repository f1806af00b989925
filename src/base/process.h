// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"

namespace warpwright {

/// Zero means "no limit of ours".
struct ProcessLimits {
  std::chrono::milliseconds wall{0};
  std::uint64_t cpu_s = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t processes = 0;
  /// Kept of each output stream; the rest is read and dropped.
  std::uint64_t output_bytes = std::uint64_t{16} << 20;
};

/// A program to run: an argument vector, never a shell line. The environment is exactly `env`
/// ("NAME=value"); nothing is inherited, so no key can leak into a child.
struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::filesystem::path cwd;
  std::string stdin_text;
  ProcessLimits limits;
  /// Called on this thread with each piece of standard output as it comes; may be empty.
  std::function<void(std::string_view)> on_stdout;
  /// Runs in the child right before the program starts, with the three standard streams in place
  /// (for sandboxes). Only async-signal-safe calls are allowed. Returns 0, or the errno to report.
  int (*in_child)(void* context) = nullptr;
  void* in_child_context = nullptr;
};

/// How a program ended. Exactly one of exit_code >= 0 and signal > 0 holds.
struct ProcessExit {
  int exit_code = -1;
  int signal = 0;
  bool timed_out = false;
  bool stopped = false;  ///< killed because the StopSignal was raised
  bool output_truncated = false;
  std::string out;
  std::string err;
  double wall_s = 0;

  [[nodiscard]] bool succeeded() const { return exit_code == 0 && !timed_out && !stopped; }
  /// "exit code 3", "signal 9 (time limit of 2.0 s)", ...
  [[nodiscard]] std::string describe() const;
};

/// Runs to the end in a process group of its own. On a time-out, a stop or the death of this
/// process the whole group is killed. The error is for programs that could not be started.
Result<ProcessExit> run_process(const Command& command, const StopSignal* stop = nullptr);

/// Finds a program in PATH, or takes it as it is when it contains a slash.
Result<std::filesystem::path> find_program(std::string_view name);

/// "NAME=value" for those of the names that this process has; the way to build a Command's env.
std::vector<std::string> environment_subset(const std::vector<std::string>& names);

/// PATH, HOME-less, locale-stable: what compilers and helpers get.
std::vector<std::string> minimal_environment();

}  // namespace warpwright
