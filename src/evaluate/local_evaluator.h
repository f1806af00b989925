// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluate/evaluator.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

struct LocalOptions {
  std::vector<std::string> worker;  ///< program and leading arguments; the job directory follows
  std::filesystem::path jobs;       ///< where job directories are made
  JobRequest pattern;               ///< everything of a request but id, source and is_baseline
  std::string device;               ///< what it judges on, in words
  int parallelism = 1;
  bool keep_jobs = false;  ///< else a job directory goes once its result is read
};

/// Each trial in a worker process of its own, killed with its whole process group when its time is
/// up or a stop is requested. A worker that dies without a result is a harness_error.
class LocalEvaluator final : public Evaluator {
 public:
  explicit LocalEvaluator(LocalOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string device() const override { return options_.device; }
  [[nodiscard]] int parallelism() const override { return options_.parallelism; }
  [[nodiscard]] double max_device_s() const override { return options_.pattern.limit_s; }
  Result<Evaluation> evaluate(const EvaluationRequest& request, const StopSignal& stop) override;

 private:
  LocalOptions options_;
};

}  // namespace warpwright::evaluate
