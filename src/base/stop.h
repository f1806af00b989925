// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

namespace warpwright {

/// Why work should end. Written to the archive, never renumber.
enum class StopReason : int {
  none = 0,
  interrupted = 1,  ///< Ctrl-C or SIGTERM
  deadline = 2,
  budget = 3,
  finished = 4,
  fault = 5,
};

std::string_view name_of(StopReason reason);

/// One flag that Ctrl-C, deadlines and spent budgets share. The first reason wins. Setting it is
/// safe in a signal handler; fd() becomes readable so that poll() wakes up.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void request(StopReason reason) noexcept;
  [[nodiscard]] StopReason reason() const noexcept;
  [[nodiscard]] bool requested() const noexcept { return reason() != StopReason::none; }
  [[nodiscard]] int fd() const noexcept { return event_fd_; }

 private:
  std::atomic<int> reason_{0};
  int event_fd_;
};

/// Routes SIGINT and SIGTERM to one StopSignal while it lives. A second Ctrl-C gets the default
/// treatment, so that a stuck process can always be ended from the keyboard.
class InterruptGuard {
 public:
  explicit InterruptGuard(StopSignal& stop);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace warpwright
