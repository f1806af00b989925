// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "base/stop.h"
#include "evaluate/runner_pool.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

struct SupervisorOptions {
  std::vector<std::string> runner;  ///< program and arguments of a runner process
  int preparing = 0;                ///< candidates compiled at a time; 0 = one per core
};

/// Judges job folders with everything kept warm: candidates are compiled and recorded here, in
/// parallel, while runner processes own the devices. One runner per GPU; it is replaced after a
/// fault, and nobody else notices. This process itself never touches a GPU.
class Supervisor {
 public:
  Supervisor(SupervisorOptions options, const StopSignal& stop);

  /// Blocks until the folder holds a result; any number of threads may call it. The error is for
  /// a folder that cannot be used, or a stop.
  Status judge(const JobDirectory& job);

 private:
  Result<RunnerPool*> pool_for(const JobRequest& request);

  SupervisorOptions options_;
  const StopSignal& stop_;
  Station station_;
  std::counting_semaphore<> preparing_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<RunnerPool>> pools_;  ///< by device
};

/// `warpwright worker --serve`: job folders as lines on `in`, "done FOLDER" on `out`, until the
/// end of `in`.
int serve(int in, int out, Supervisor& supervisor);

/// All of them, `report` called as each is done (by one thread at a time).
void judge_all(const std::vector<JobDirectory>& jobs, Supervisor& supervisor,
               const std::function<void(const JobDirectory&, const Status&)>& report);

}  // namespace warpwright::evaluate
