// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"
#include "core/judge_choices.h"
#include "core/task.h"

namespace warpwright::evaluate {

/// One judgement, complete: whoever starts the worker (a local process, a batch system, a person
/// with a directory) hands over nothing else.
struct JobRequest {
  std::string id;
  Task task;
  std::string source;
  bool is_baseline = false;          ///< our own kernel: the rule set does not apply to it
  std::optional<std::string> rival;  ///< a second source to compare the first with
  bool rival_is_baseline = false;
  /// Timed on quickly made inputs, with few samples where a call is slow, and not validated. For
  /// our own kernels only: a request with this and without is_baseline is refused.
  bool timing_only = false;
  DeviceName device;
  std::string target = "h200";     ///< described device for recording and estimates without a GPU
  RuleSet rule_set;                ///< empty = the task's own
  std::vector<std::string> sizes;  ///< labels to time; empty = all that fit the device
  FrontEndChoice front_end;
  CheckLevel checks;
  EngineChoice engine;
  SanitizeChoice sanitize;
  bool counters = false;              ///< ask the GPU's performance counters (ncu)
  double limit_s = 120;               ///< for the whole judgement
  bool unsafe = false;                ///< go on without a sandbox where none works
  std::optional<std::uint64_t> seed;  ///< of the inputs; absent = drawn after compilation
  /// Where built candidates are kept; empty = inside the job; a relative one starts at the job.
  std::filesystem::path cache;

  bool operator==(const JobRequest&) const = default;
};

/// request.json's text; the sources are files of their own. docs/formats.md describes both.
std::string request_to_json(const JobRequest& request);

/// Total and validated: any text gives a request or an error that names the field.
Result<JobRequest> request_from_json(std::string_view text);

/// A directory that holds one judgement: `request.json`, `candidate.cu` and for a comparison
/// `rival.cu` in, `result.json` out, the latter written under another name and renamed, so that it
/// is complete or absent.
class JobDirectory {
 public:
  explicit JobDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Creates the directory with its inputs.
  Status write_request(const JobRequest& request) const;
  [[nodiscard]] Result<JobRequest> read_request() const;
  Status write_result(const Evaluation& evaluation) const;
  [[nodiscard]] bool has_result() const;
  [[nodiscard]] Result<Evaluation> read_result() const;

 private:
  std::filesystem::path path_;
};

}  // namespace warpwright::evaluate
