// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/limits.h"
#include "evaluate/lines.h"

namespace warpwright::evaluate {

namespace {

using SteadyClock = std::chrono::steady_clock;
// How soon a second job joins one that is running. It has to be compiled anyway.
constexpr std::chrono::milliseconds kGlance{5};
// Jobs beside one that breaks the runner start again; hardly anybody has that luck so often.
constexpr int kMostPutBack = 12;

void write_verdict(const JobDirectory& job, const Evaluation& evaluation) {
  if (const Status written = job.write_result(evaluation); !written.ok()) {
    std::fprintf(stderr, "warpwright worker: %s\n", written.error().message.c_str());
  }
}

}  // namespace

Evaluation verdict_without_result(std::string_view why) {
  Evaluation evaluation;
  evaluation.stage = Stage::validate;
  evaluation.reason = why;
  return evaluation;
}

Evaluation verdict_at_the_limit(Verdict verdict, double limit_s) {
  Evaluation evaluation = verdict_without_result(
      fmt::format("{}the judgement did not end within {:.0f} s",
                  verdict == Verdict::harness_error ? "the host was too slow: " : "", limit_s));
  evaluation.verdict = verdict;
  evaluation.device_s = limit_s;
  if (verdict != Verdict::harness_error) evaluation.feedback = evaluation.reason;
  return evaluation;
}

/// One process and what it was given. Lives on a thread of its own.
class RunnerPool::Runner {
 public:
  explicit Runner(RunnerPool& pool) : pool_(pool) {}

  void run() {
    while (fill()) {
      if (in_flight_.empty()) continue;
      listen();
    }
    for (const ItemPointer& item : in_flight_) item->done.set_value();
  }

 private:
  /// Hands over what there is and fits. False when the pool closes.
  bool fill() {
    while (static_cast<int>(in_flight_.size()) < pool_.options_.jobs_each) {
      if (!in_flight_.empty() && in_flight_.front()->alone) break;
      auto item = pool_.take(in_flight_.empty(), in_flight_.empty());
      if (!item) break;
      if (in_flight_.empty()) head_since_ = SteadyClock::now();
      in_flight_.push_back(*item);
      if (!hand_over(**item)) died("the runner could not be started", false);
    }
    const std::lock_guard hold(pool_.mutex_);
    return !pool_.closing_;
  }

  bool hand_over(const Item& item) {
    if (!process_) {
      auto started = ChildProcess::start(pool_.options_.command);
      if (!started.ok()) {
        std::fprintf(stderr, "warpwright worker: %s\n", started.error().message.c_str());
        return false;
      }
      process_ = std::make_unique<ChildProcess>(std::move(started).value());
      const std::lock_guard hold(pool_.mutex_);
      ++pool_.started_;
    }
    // A process that is gone says so when it is listened to.
    static_cast<void>(process_->write_line(line_of({item.job.path().string(), item.digest})));
    return true;
  }

  void listen() {
    const auto reply = process_->read_line(kGlance);
    if (reply.heard == ChildProcess::Heard::gone) return died("the runner's process ended", false);
    if (reply.heard == ChildProcess::Heard::line) return heard(reply.line);
    const Item& head = *in_flight_.front();
    const std::chrono::duration<double> spent = SteadyClock::now() - head_since_;
    const double limit_s = head.limit_s + (waits_ ? kLongestWaitS : 0) + pool_.options_.grace_s;
    if (spent.count() > limit_s) died("", true);
  }

  void heard(std::string_view line) {
    if (line == kWorn) {
      worn_ = true;
      return;
    }
    // Whoever waits for another process's judgement spends none of its own time.
    if (line == kWaits || line == kHolds) {
      waits_ = line == kWaits;
      head_since_ = SteadyClock::now();
      return;
    }
    if (!line.starts_with(kDone)) return;
    line.remove_prefix(kDone.size());
    const auto found =
        std::find_if(in_flight_.begin(), in_flight_.end(),
                     [&](const ItemPointer& item) { return item->job.path() == line; });
    if (found == in_flight_.end()) return;
    const ItemPointer item = *found;
    in_flight_.erase(found);
    head_since_ = SteadyClock::now();
    conclude(item, "the runner came to no result");
  }

  /// Ends a job that has a result, or has had its chances; else it waits for another process.
  void conclude(const ItemPointer& item, std::string_view why) {
    if (!item->job.has_result()) {
      if (++item->attempts < pool_.options_.attempts) {
        item->alone = true;
        return pool_.put_back(item);
      }
      write_verdict(item->job, verdict_without_result(why));
    }
    item->done.set_value();
  }

  /// The process is no more, or will not be in a moment.
  void died(std::string_view why, bool late) {
    process_.reset();
    auto left = std::exchange(in_flight_, {});
    const bool expected = std::exchange(worn_, false);
    waits_ = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const ItemPointer& item = left[i];
      if (late && i == 0 && !item->job.has_result()) {
        const double limit_s = item->limit_s + pool_.options_.grace_s;
        write_verdict(item->job, verdict_at_the_limit(pool_.options_.late, limit_s));
      }
      if (item->job.has_result()) {
        item->done.set_value();
      } else if ((expected || late) && ++item->put_back < kMostPutBack) {
        pool_.put_back(item);  // not its fault
      } else {
        conclude(item, why);
      }
    }
  }

  RunnerPool& pool_;
  std::unique_ptr<ChildProcess> process_;
  std::vector<ItemPointer> in_flight_;  ///< the oldest first
  SteadyClock::time_point head_since_;
  bool worn_ = false;
  bool waits_ = false;  ///< for another process that has the GPU
};

RunnerPool::RunnerPool(RunnerOptions options) : options_(std::move(options)) {
  for (int i = 0; i < options_.processes; ++i) {
    threads_.emplace_back([this] { Runner(*this).run(); });
  }
}

RunnerPool::~RunnerPool() {
  const std::lock_guard hold(mutex_);
  closing_ = true;
  for (const ItemPointer& item : waiting_) item->done.set_value();
  waiting_.clear();
  changed_.notify_all();
}

void RunnerPool::run(const JobDirectory& job, double limit_s, std::string digest) {
  const auto item = std::make_shared<Item>(
      Item{.job = job, .limit_s = limit_s, .digest = std::move(digest), .done = {}});
  auto done = item->done.get_future();
  {
    const std::lock_guard hold(mutex_);
    waiting_.push_back(item);
    changed_.notify_all();
  }
  done.wait();
}

int RunnerPool::started() const {
  const std::lock_guard hold(mutex_);
  return started_;
}

/// A job that must be alone goes only to a runner that has nothing else.
std::optional<RunnerPool::ItemPointer> RunnerPool::take(bool wait, bool idle) {
  std::unique_lock hold(mutex_);
  const auto suitable = [&] { return !waiting_.empty() && (idle || !waiting_.front()->alone); };
  if (wait) changed_.wait(hold, [&] { return closing_ || suitable(); });
  if (closing_ || !suitable()) return std::nullopt;
  ItemPointer item = waiting_.front();
  waiting_.pop_front();
  return item;
}

void RunnerPool::put_back(const ItemPointer& item) {
  const std::lock_guard hold(mutex_);
  waiting_.push_front(item);
  changed_.notify_all();
}

}  // namespace warpwright::evaluate
