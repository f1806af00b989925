// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"
#include "evaluate/job.h"

namespace warpwright::bench {

/// What a kernel is to the benchmark. Written to disk by name.
enum class KernelKind {
  slow,      ///< B0, the task's slow.cu
  baseline,  ///< B1, the task's baseline.cu
  given,     ///< from a folder of kernels: judged like any candidate
};

struct PrepareOptions {
  std::vector<Task> tasks;
  /// KERNELS/TASK.cu and KERNELS/TASK/*.cu, and KERNELS/free/TASK.cu for the rule set free; empty =
  /// none.
  std::filesystem::path kernels;
  bool slow = true;              ///< time B0, too
  bool validate = false;         ///< judge B1 in full instead of timing it only
  bool quick = false;            ///< two sizes per task
  evaluate::JobRequest pattern;  ///< device, target, front end, limit, ...
};

/// One line of the manifest: a job folder and what is in it.
struct BenchJob {
  std::string job;  ///< its folder under jobs/
  std::string task;
  std::string kernel;  ///< "b0", "b1" or the file's name
  KernelKind kind = KernelKind::given;
};

/// A benchmark on disk: `bench.json` (the manifest), `suite.json` (tasks and sizes, for the
/// comparators), `jobs/*` (job directories). Everything else is added by whoever runs it.
class BenchFolder {
 public:
  explicit BenchFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// Writes what is not there yet. A job whose request or source changed loses its result; one
  /// that did not keeps it, so that a second call goes on where the first one ended. A kernel
  /// file that contradicts its own head is refused.
  Status prepare(const PrepareOptions& options) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Result<std::vector<BenchJob>> jobs() const;
  [[nodiscard]] evaluate::JobDirectory job(const BenchJob& job) const;
  /// No result, or one that the judge itself spoilt.
  [[nodiscard]] bool to_do(const BenchJob& job) const;

 private:
  std::filesystem::path path_;
};

}  // namespace warpwright::bench
