// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <condition_variable>

#include "base/files.h"
#include "search/dispatcher.h"

namespace warpwright::search {

namespace {

/// Threads that take jobs in order; as many as were ever busy at once, up to a limit.
class Pool {
 public:
  explicit Pool(int limit) : limit_(std::max(1, limit)) {}

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    work_or_close_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void submit(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ < static_cast<int>(jobs_.size()) && static_cast<int>(threads_.size()) < limit_) {
      threads_.emplace_back([this] { serve(); });
    }
    work_or_close_.notify_one();
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      work_or_close_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      --idle_;
      if (closing_) return;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  const int limit_;
  std::mutex mutex_;
  std::condition_variable work_or_close_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  int idle_ = 0;
  bool closing_ = false;
};

class ThreadDispatcher final : public Dispatcher {
 public:
  ThreadDispatcher(llm::Model& model, evaluate::Evaluator& evaluator, const Clock& clock,
                   const StopSignal& stop)
      : model_(model),
        evaluator_(evaluator),
        clock_(clock),
        stop_(stop),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        asking_(model.concurrency()),
        judging_(evaluator.parallelism()) {
    ASSERT(wake_.valid(), "eventfd: no file descriptor left");
  }

  // The pools join after this body: their jobs see the signal and return.
  ~ThreadDispatcher() override { abandon_.request(StopReason::finished); }

  void ask(const std::string& trial, int attempt, llm::Request request) override {
    asking_.submit([this, trial, attempt, request = std::move(request)] {
      const auto progress = [&](const llm::Progress& news) { post(Streaming{trial, news}); };
      post(Answered{trial, attempt, model_.ask(request, progress, abandon_)});
    });
  }

  void judge(const std::string& key, evaluate::EvaluationRequest request) override {
    judging_.submit([this, key, request = std::move(request)] {
      post(Judged{key, evaluator_.evaluate(request, abandon_)});
    });
  }

  std::optional<Event> wait(Nanoseconds deadline) override {
    for (;;) {
      if (stop_.requested()) return std::nullopt;
      if (auto event = take()) return event;
      if (clock_.now() >= deadline) return std::nullopt;
      pollfd watched[2] = {{wake_.get(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}};
      ::poll(watched, 2, milliseconds_until(deadline));
    }
  }

 private:
  [[nodiscard]] int milliseconds_until(Nanoseconds deadline) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_.now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
  }

  void post(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  }

  std::optional<Event> take() {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
      return std::nullopt;
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  llm::Model& model_;
  evaluate::Evaluator& evaluator_;
  const Clock& clock_;
  const StopSignal& stop_;
  StopSignal abandon_;
  std::mutex mutex_;
  std::deque<Event> events_;
  FileDescriptor wake_;
  Pool asking_;  // last: their threads end before what they use
  Pool judging_;
};

}  // namespace

std::unique_ptr<Dispatcher> make_thread_dispatcher(llm::Model& model,
                                                   evaluate::Evaluator& evaluator,
                                                   const Clock& clock, const StopSignal& stop) {
  return std::make_unique<ThreadDispatcher>(model, evaluator, clock, stop);
}

}  // namespace warpwright::search
