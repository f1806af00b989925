// SPDX-License-Identifier: Apache-2.0
#include "base/stop.h"

#include <csignal>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

namespace warpwright {

namespace {

// A signal handler takes no context argument, so this pointer is the one piece of process-wide
// state we keep; InterruptGuard owns its lifetime.
std::atomic<StopSignal*> interrupt_target{nullptr};

void on_interrupt(int signal_number) {
  if (StopSignal* target = interrupt_target.load()) target->request(StopReason::interrupted);
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::deadline:
      return "deadline";
    case StopReason::budget:
      return "budget";
    case StopReason::finished:
      return "finished";
    case StopReason::fault:
      return "fault";
  }
  return "unknown";
}

StopSignal::StopSignal() : event_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  ASSERT(event_fd_ >= 0, "eventfd: no file descriptor left");
}

StopSignal::~StopSignal() { ::close(event_fd_); }

void StopSignal::request(StopReason reason) noexcept {
  int expected = 0;
  if (!reason_.compare_exchange_strong(expected, static_cast<int>(reason))) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_fd_, &one, sizeof one);
}

StopReason StopSignal::reason() const noexcept { return static_cast<StopReason>(reason_.load()); }

InterruptGuard::InterruptGuard(StopSignal& stop) {
  ASSERT(interrupt_target.exchange(&stop) == nullptr, "two InterruptGuards at once");
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  interrupt_target.store(nullptr);
}

}  // namespace warpwright
