// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  std::size_t kept = 4096;    ///< verdicts that are remembered
};

/// What the queue did since it was made.
struct QueueFigures {
  std::size_t waiting = 0, running = 0;
  std::uint64_t asked = 0;    ///< all questions
  std::uint64_t shared = 0;   ///< of them, answered by a judgement of an equal one
  std::uint64_t refused = 0;  ///< of them, for lack of room
  std::uint64_t failed = 0;   ///< judgements that the judge itself broke
  double judged_s = 0;        ///< time that judgements took, together
  std::map<std::string, std::uint64_t> verdicts;
};

/// Judges in the order of the clients' turns: one who asks much does not hold up others. The same
/// question is judged once; a judge's own failure is not remembered. Thread-safe.
class JudgeQueue {
 public:
  explicit JudgeQueue(QueueOptions options);
  ~JudgeQueue();
  JudgeQueue(const JudgeQueue&) = delete;
  JudgeQueue& operator=(const JudgeQueue&) = delete;

  /// `key` names the question: equal keys are equal questions. Null when there is no room.
  std::shared_ptr<Ticket> ask(const std::string& key, const std::string& client, Ticket::Work work);
  std::shared_ptr<Ticket> find(const std::string& id);
  QueueFigures figures();
  /// Ends what is under way; what waits is told that it is never judged.
  void stop();

 private:
  void work();
  std::shared_ptr<Ticket> next();
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
  std::vector<std::jthread> threads_;
};

}  // namespace warpwright::service
