// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "reorder/arena.h"

namespace warpwright::reorder {

// A schedule may hang or fault, and then the device's context is lost. So an arena lives in a child
// process; who searches never touches the device.

/// How the child makes the inputs of a workload that names a task.
using InputsOf = std::function<Result<InputSource>(const Workload& workload)>;

struct ServedArena {
  std::filesystem::path workload, cubin;
  InputsOf inputs_of;       ///< empty: all inputs by type
  bool set_clocks = false;  ///< results are compared at other clock rates, too, where permitted
  DeviceName device = "cuda";
};

/// The child: opens the arena of the files, then answers lines until its input ends. Each request
/// is one line, "VERB FILE NUMBERS", and so is each answer. Returns the exit code.
int serve_arena(const ServedArena& served, int input, int output);

/// What a paired comparison found: the ratio of the schedule's time to the original's.
struct PairedFigures {
  double ratio = 1, low = 1, high = 1;  ///< with 95 % confidence
  double own_us = 0, original_us = 0;
  int pairs = 0;

  /// Faster for certain.
  [[nodiscard]] bool gains() const { return high < 1; }
};

/// The parent's side. A child that hangs or ends is replaced; what was asked then counts as a
/// fault.
class Canary {
 public:
  /// `command` starts the child.
  static Result<Canary> start(Command command);

  Result<Behaviour> check(const std::string& cubin, std::uint64_t first, std::uint64_t count);
  Result<Behaviour> check_many(const std::string& cubin, std::uint64_t outputs, double limit_s);
  Result<Behaviour> fuzz(const std::string& cubin, std::uint64_t sets, double limit_s);
  /// The ratio of its time to the original's; nothing where it behaved in another way.
  Result<std::optional<double>> trial(const std::string& cubin, std::uint64_t set);
  /// An empty rival is the kernel as it was built.
  Result<std::optional<PairedFigures>> paired(const std::string& cubin, double limit_s,
                                              const std::string& rival = "");
  Result<double> original_us();

  [[nodiscard]] int replaced() const { return replaced_; }

 private:
  Canary(Command command, TemporaryDirectory folder)
      : command_(std::move(command)), folder_(std::move(folder)) {}
  Status begin();
  Result<std::string> file_of(const std::string& cubin);
  /// The answer's words; nothing where the child had to be replaced.
  Result<std::optional<std::vector<std::string>>> ask(const std::string& verb,
                                                      const std::string& cubin,
                                                      const std::string& numbers,
                                                      std::chrono::milliseconds patience);
  Result<Behaviour> behaviour_of(const Result<std::optional<std::vector<std::string>>>& answer);

  Command command_;
  TemporaryDirectory folder_;
  std::optional<ChildProcess> child_;
  int replaced_ = 0;
  std::uint64_t files_ = 0;
};

}  // namespace warpwright::reorder
