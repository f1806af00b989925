// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "evaluate/evaluator.h"
#include "fleet/launcher.h"
#include "fleet/spool.h"

namespace warpwright::fleet {

struct FleetOptions {
  Spool spool;
  std::string queue;             ///< of this search; the same when it is resumed
  bool keep_queue = false;       ///< else the queue goes with this object
  evaluate::JobRequest pattern;  ///< everything of a request but id, source and is_baseline
  std::string device;            ///< what it judges on, in words
  int parallelism = 256;         ///< jobs that may wait at once
  std::string gpu;               ///< the model to judge on; empty: that of the first pilots
  std::shared_ptr<Launcher> launcher = nullptr;  ///< none: somebody else starts pilots
};

/// Judgements by the pilots of a spool. All jobs of one queue go to pilots of one GPU model, so
/// that their times can be compared. A job's name follows from what is to be judged: after a death
/// of this process the same question finds the job, or its result.
class FleetEvaluator final : public evaluate::Evaluator {
 public:
  explicit FleetEvaluator(FleetOptions options);
  ~FleetEvaluator() override;

  [[nodiscard]] std::string device() const override { return options_.device; }
  [[nodiscard]] int parallelism() const override { return options_.parallelism; }
  [[nodiscard]] double max_device_s() const override { return options_.pattern.limit_s; }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal& stop) override;
  /// A whole request, e.g. of a benchmark; its cache is the spool's.
  Result<Evaluation> judge(evaluate::JobRequest request, const StopSignal& stop, int repeat = 0);

 private:
  Result<std::string> bound_gpu(const evaluate::JobRequest& request, const StopSignal& stop);
  Status submit(const std::string& job, const evaluate::JobRequest& request,
                const StopSignal& stop);
  Status wait_for(const std::string& job, const evaluate::JobRequest& request,
                  const StopSignal& stop);
  Result<Evaluation> collect(const std::string& job);
  void watch(const std::stop_token& over);
  void look_for_results();
  Status trouble();

  FleetOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<std::string> awaited_;
  std::set<std::string> ready_;
  std::size_t unbound_ = 0;  ///< callers that wait for the first pilot
  std::size_t judged_ = 0;   ///< since the launcher was told last
  Status trouble_;
  std::mutex binding_;
  std::string gpu_key_;
  std::jthread watcher_;
};

}  // namespace warpwright::fleet
