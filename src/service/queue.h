// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "core/evaluation.h"
#include "store/ledger.h"

namespace warpwright::service {

/// A judgement that somebody asked for. Equal questions share one.
class Ticket {
 public:
  enum class State { queued, running, done };
  struct Stand {
    State state = State::queued;
    std::optional<Evaluation> evaluation;  ///< done, and the judge worked
    std::string error;                     ///< done, and it did not
  };

  [[nodiscard]] const std::string& id() const { return id_; }
  /// How it stands, at the latest when that time is over.
  Stand wait(std::chrono::milliseconds time);

 private:
  friend class JudgeQueue;
  using Work = std::function<Result<Evaluation>(const StopSignal& stop)>;

  std::string id_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Stand stand_;
};

struct QueueOptions {
  int parallelism = 1;
  std::size_t longest = 256;  ///< questions that wait; more are refused
  std::size_t kept = 4096;    ///< verdicts that are remembered in memory, without a ledger
  int tries = 3;              ///< of a judge that fails, or dies under a question
  /// Remembers questions and verdicts beyond this process; outlives the queue. Null: none does.
  store::Ledger* ledger = nullptr;
};

/// A question: equal keys are equal questions. The text is all that a later process needs to judge
/// it.
struct Asking {
  std::string key;
  std::string client;
  std::string wish = {};
};

/// What the queue did since it was made.
struct QueueFigures {
  std::size_t waiting = 0, running = 0;
  std::uint64_t asked = 0;    ///< all questions
  std::uint64_t shared = 0;   ///< of them, answered by a judgement of an equal one
  std::uint64_t refused = 0;  ///< of them, for lack of room
  std::uint64_t failed = 0;   ///< questions that the judge itself broke
  std::uint64_t retried = 0;  ///< judgements that were begun again because their judge failed
  std::uint64_t resumed = 0;  ///< questions of an earlier process
  double judged_s = 0;        ///< time that judgements took, together
  std::map<std::string, std::uint64_t> verdicts;
};

/// Judges in the order of the clients' turns: one who asks much does not hold up others. The same
/// question is judged once, whichever process was asked it; a judge's own failure is not
/// remembered. With a ledger, a question is on disk before ask() returns and a verdict before it is
/// told. Thread-safe.
class JudgeQueue {
 public:
  explicit JudgeQueue(QueueOptions options);
  ~JudgeQueue();
  JudgeQueue(const JudgeQueue&) = delete;
  JudgeQueue& operator=(const JudgeQueue&) = delete;

  static std::string id_of(const std::string& key);
  /// Null when there is no room.
  std::shared_ptr<Ticket> ask(const Asking& asking, Ticket::Work work);
  /// A question that the ledger has from an earlier process; there is always room.
  void resume(const std::string& id, const std::string& client, Ticket::Work work);
  std::shared_ptr<Ticket> find(const std::string& id);
  QueueFigures figures();
  /// Ends what is under way; what waits is told that it is never judged.
  void stop();

 private:
  void work();
  std::shared_ptr<Ticket> next();
  void line_up(const std::string& client, const std::shared_ptr<Ticket>& ticket);
  std::shared_ptr<Ticket> recalled(const std::string& id);
  Result<Evaluation> judge(Ticket& ticket);
  bool remember(const std::string& id, const Evaluation& evaluation);
  void finish(Ticket& ticket, Result<Evaluation> result, double seconds);
  void forget_oldest();

  QueueOptions options_;
  StopSignal stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Ticket>> tickets_;              ///< by id
  std::deque<std::string> finished_;                                    ///< oldest first
  std::map<std::string, std::deque<std::shared_ptr<Ticket>>> waiting_;  ///< by client
  std::string last_client_;
  QueueFigures figures_;
  std::atomic<std::uint64_t> stored_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace warpwright::service
