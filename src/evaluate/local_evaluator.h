// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluator.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

class WorkerClient;

struct LocalOptions {
  std::vector<std::string> worker;  ///< program and leading arguments; the job directory follows
  /// Program and arguments of a worker that stays (`warpwright worker --serve`): then `worker` is
  /// not used, and compilers, references and the GPU's context are kept warm between judgements.
  std::vector<std::string> server;
  /// Instead of `server`: one that is shared with other evaluators, of whatever tasks.
  std::shared_ptr<WorkerClient> shared_server = nullptr;
  std::filesystem::path jobs;  ///< where job directories are made
  JobRequest pattern;          ///< everything of a request but id, source and is_baseline
  std::string device;          ///< what it judges on, in words
  int parallelism = 1;
  bool keep_jobs = false;  ///< else a job directory goes once its result is read
};

/// Each judgement as a job directory, done by a worker process of its own (killed with its whole
/// process group when its time is up or a stop is requested), or by a server that stays and is
/// started again should it die. A worker that dies without a result is a harness_error.
class LocalEvaluator final : public Evaluator {
 public:
  explicit LocalEvaluator(LocalOptions options);
  ~LocalEvaluator() override;

  [[nodiscard]] std::string device() const override { return options_.device; }
  [[nodiscard]] int parallelism() const override { return options_.parallelism; }
  [[nodiscard]] double max_device_s() const override { return options_.pattern.limit_s; }
  Result<Evaluation> evaluate(const EvaluationRequest& request, const StopSignal& stop) override;

 private:
  Result<std::optional<Evaluation>> run_worker(const JobDirectory& job, const JobRequest& request,
                                               const StopSignal& stop);

  LocalOptions options_;
  std::shared_ptr<WorkerClient> server_;
};

/// What a worker needs from its surroundings: the compilers' places and the GPU's selection.
/// Never a key.
std::vector<std::string> worker_environment();

}  // namespace warpwright::evaluate
