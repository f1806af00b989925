// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/outcome.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// The judgement's end as the stages see it.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds)) {}
  [[nodiscard]] double remaining_s() const {
    return std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
  }
  [[nodiscard]] bool passed() const { return remaining_s() <= 0; }
  /// For time that is not the judgement's own.
  void postpone(double seconds) { end_ += std::chrono::duration<double>(seconds); }

 private:
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> end_;
};

/// What a judgement tells beside its verdict and its times. Stages add to it and read nothing
/// from it; it goes into the evaluation as it is.
struct Notes {
  std::vector<Diagnostic> diagnostics;
  std::vector<KernelResources> resources;
  std::vector<Finding> findings;
  std::vector<std::string> unchecked;  ///< what could not be checked, and why
  std::string device;
  std::string seed;
  double device_s = 0;
  std::map<std::string, double> stage_s;
  std::map<std::string, std::string> manifest;
};

/// What all stages of one judgement share.
struct Context {
  std::filesystem::path scratch;  ///< a directory for what the stages write
  Station& station;
  const StopSignal& stop;
  double limit_s = 0;
  Deadline deadline{limit_s};
  Stage stage = Stage::lint;  ///< the one that is under way
  bool on_gpu = false;        ///< it waits for calls on a GPU
  Notes notes = {};
};

/// A remark that is no verdict. The same text is told once.
void note(Context& context, std::string text, FindingKind kind = "note");

/// Writes which stage is under way where others can read it: a file `stage` in the scratch folder.
/// Nobody depends on it.
void announce_stage(const Context& context);
inline constexpr const char* kStageFile = "stage";

/// Not when the judgement was stopped or is out of time. On a GPU, where calls take their own time,
/// that is a verdict; elsewhere work is counted, and it is the host that was too slow.
Outcome<> may_go_on(const Context& context);

/// Adds its lifetime to stage_s under a name of its own, so that one sees what a stage's time
/// went into.
class PartTimer {
 public:
  PartTimer(Context& context, std::string_view part);
  PartTimer(const PartTimer&) = delete;
  PartTimer& operator=(const PartTimer&) = delete;
  ~PartTimer();

 private:
  Notes& notes_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace warpwright::evaluate
