// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "llm/asker.h"

namespace warpwright::llm {

/// A whole process that asks one question, to be killed. Killed and reaped at the latest with this
/// object; its couriers are not.
class AskingProcess {
 public:
  AskingProcess(const Asker& asker, const std::string& id);
  ~AskingProcess();
  AskingProcess(const AskingProcess&) = delete;
  AskingProcess& operator=(const AskingProcess&) = delete;

  void signal(int number) const;
  void kill_and_reap();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

/// Process ids of the couriers of this test program's build.
std::vector<pid_t> live_couriers();

/// Polls for at most ten seconds.
bool eventually(const std::function<bool()>& condition);

}  // namespace warpwright::llm
