// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <thread>

namespace warpwright::cli {

/// Tells on standard error, while it lives, at which stage a judgement is: on a terminal one line
/// with a clock, else a line per stage. Reads what a worker on this machine writes into the job's
/// folder; of other workers it knows only the time.
class StageWatch {
 public:
  StageWatch(std::filesystem::path jobs, bool quiet);
  StageWatch(const StageWatch&) = delete;
  StageWatch& operator=(const StageWatch&) = delete;
  ~StageWatch();

 private:
  void watch(const std::stop_token& stop) const;

  std::filesystem::path jobs_;
  bool terminal_;
  std::jthread thread_;
};

}  // namespace warpwright::cli
