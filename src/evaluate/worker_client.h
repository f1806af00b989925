// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/child.h"
#include "base/stop.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

/// The other end of `warpwright worker --serve`. Started at the first job, and again when it died.
class WorkerClient {
 public:
  explicit WorkerClient(std::vector<std::string> argv);
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;
  ~WorkerClient();

  /// Blocks until the server is done with the folder, or is gone: whether there is a result is
  /// for the caller to see. The error is a stop, or a server that cannot be started. Any number
  /// of threads may call it.
  Status judge(const JobDirectory& job, const StopSignal& stop);

 private:
  Status submit(const std::string& folder);
  void listen();

  std::vector<std::string> argv_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<ChildProcess> process_;
  Status started_;              ///< how the last start went
  bool wanted_ = false;         ///< a process is to be there
  std::set<std::string> open_;  ///< folders that were handed over and are not done
  bool closing_ = false;
  std::jthread listener_;  ///< owns the process: it lives as long as its thread
};

}  // namespace warpwright::evaluate
