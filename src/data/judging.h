// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "data/sample.h"
#include "store/ledger.h"

namespace warpwright::data {

/// One source to judge.
struct JudgeWish {
  std::shared_ptr<const Task> task;
  std::string source;
  std::string rule_set;
};

/// The judge of this process and its memory. Verdicts that it gave are in the ledger, and nothing
/// is judged twice.
struct Judging {
  std::function<Result<Evaluation>(const JudgeWish& wish, const StopSignal& stop)> judge;
  int threads = 1;
  store::Ledger* ledger = nullptr;
  std::string manner;  ///< everything beside the wish that a verdict depends on
  const StopSignal* stop = nullptr;
  /// Hears of every new verdict, from several threads.
  std::function<void(const JudgeWish& wish, const Evaluation& verdict)> heard = {};
};

/// The wish of a sample that has code and whose task is known.
std::optional<JudgeWish> wish_of(const Sample& sample);

/// The verdict of this process's judge, where it has given one.
Result<std::optional<Evaluation>> known_verdict(const Judging& judging, const JudgeWish& wish);

/// Judges what it is given, several at a time. Waits when much waits: the wishes of a long list are
/// never all in memory.
class JudgePool {
 public:
  explicit JudgePool(const Judging& judging);
  ~JudgePool();
  JudgePool(const JudgePool&) = delete;
  JudgePool& operator=(const JudgePool&) = delete;

  /// Nothing is done where the verdict is known. The error is the judge's, of any earlier wish.
  Status add(JudgeWish wish);
  /// Waits for all of them.
  Status finish();

 private:
  void work();
  Status judge(const JudgeWish& wish);
  Status judge_as(const std::string& key, const JudgeWish& wish);

  const Judging& judging_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<JudgeWish> waiting_;
  std::set<std::string> under_way_;
  bool closing_ = false;
  Status failed_;
  std::vector<std::jthread> threads_;
};

}  // namespace warpwright::data
