// SPDX-License-Identifier: Apache-2.0
#include "verify/guarded_call.h"

#include <csetjmp>
#include <csignal>

#include <array>
#include <exception>
#include <mutex>
#include <string>

namespace warpwright::verify {

namespace {

constexpr std::array<int, 5> kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

thread_local sigjmp_buf* way_out = nullptr;

void leave(int signal) {
  if (way_out != nullptr) siglongjmp(*way_out, signal);
  // Another thread's, and no reference's: as if we were not here.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Our handlers for as long as any thread is in a call.
class Handlers {
 public:
  Handlers() {
    const std::lock_guard lock(mutex());
    if (count()++ > 0) return;
    struct sigaction action {};
    action.sa_handler = leave;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &action, &before()[i]);
  }
  ~Handlers() {
    const std::lock_guard lock(mutex());
    if (--count() > 0) return;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before()[i], nullptr);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  // Handlers of signals are the process's, and so is the count of those who need them.
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static int& count() {
    static int instance = 0;
    return instance;
  }
  static std::array<struct sigaction, kSignals.size()>& before() {
    static std::array<struct sigaction, kSignals.size()> instance{};
    return instance;
  }
};

std::string words_for(int signal) {
  switch (signal) {
    case SIGABRT:
      return "it aborted";
    case SIGFPE:
      return "it divided by zero";
    case SIGILL:
      return "it executed an illegal instruction";
    default:
      return "it accessed memory that is not there";
  }
}

}  // namespace

Status call_guarded(const std::function<void()>& call) {
  const Handlers handlers;
  sigjmp_buf here;
  const int signal = sigsetjmp(here, 1);
  if (signal != 0) {
    way_out = nullptr;
    return Error{words_for(signal)};
  }
  way_out = &here;
  try {
    call();
  } catch (const std::exception& error) {
    way_out = nullptr;
    return Error{std::string("it threw an exception: ") + error.what()};
  } catch (...) {
    way_out = nullptr;
    return Error{"it threw an exception"};
  }
  way_out = nullptr;
  return {};
}

}  // namespace warpwright::verify
