// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/child.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

struct RunnerOptions {
  Command command;      ///< a program that does what runner.h says
  int processes = 1;    ///< started when there is work for them
  int jobs_each = 2;    ///< handed to a process at a time
  double grace_s = 15;  ///< beyond a job's limit, for a process that hangs
  int attempts = 3;     ///< of a job whose process died under it
  /// Of a job that did not end in time: where work is counted, the host was too slow.
  Verdict late = Verdict::timeout;
};

/// Runner processes for one device, replaced whenever they end. A job always gets an answer:
/// its result, a time-out, or a harness error after several processes died under it.
class RunnerPool {
 public:
  explicit RunnerPool(RunnerOptions options);
  RunnerPool(const RunnerPool&) = delete;
  RunnerPool& operator=(const RunnerPool&) = delete;
  ~RunnerPool();

  /// Blocks until the job's folder holds a result; any number of threads may call it. `digest` is
  /// that of what was prepared in the folder, if anything was.
  void run(const JobDirectory& job, double limit_s, std::string digest = "");

  /// How many processes were started so far.
  [[nodiscard]] int started() const;

 private:
  struct Item {
    JobDirectory job;
    double limit_s;
    std::string digest;
    int attempts = 0;
    bool alone = false;  ///< after a death: to learn who causes them
    int put_back = 0;    ///< how often another one's death sent it back
    std::promise<void> done;
  };
  using ItemPointer = std::shared_ptr<Item>;
  class Runner;

  std::optional<ItemPointer> take(bool wait, bool idle);
  void put_back(const ItemPointer& item);

  RunnerOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ItemPointer> waiting_;
  bool closing_ = false;
  int started_ = 0;
  std::vector<std::jthread> threads_;
};

/// The verdict of a job whose process ended without one, and of one that was ended at its limit.
Evaluation verdict_without_result(std::string_view why);
Evaluation verdict_at_the_limit(Verdict verdict, double limit_s);

}  // namespace warpwright::evaluate
