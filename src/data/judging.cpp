// SPDX-License-Identifier: Apache-2.0
#include "data/judging.h"

#include "base/sha256.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "core/task_json.h"

namespace warpwright::data {

namespace {

constexpr int kTries = 2;
constexpr std::size_t kWaitingPerThread = 2;

std::string key_of(const Judging& judging, const JudgeWish& wish) {
  const nlohmann::json key = {judging.manner, task_to_json(*wish.task), wish.source, wish.rule_set};
  return sha256_hex(dump_json(key));
}

}  // namespace

std::optional<JudgeWish> wish_of(const Sample& sample) {
  if (sample.source.empty() || sample.task == nullptr) return std::nullopt;
  return JudgeWish{sample.task, sample.source, sample.rule_set};
}

Result<std::optional<Evaluation>> known_verdict(const Judging& judging, const JudgeWish& wish) {
  WW_TRY(const auto text, judging.ledger->result(key_of(judging, wish)));
  if (!text) return std::optional<Evaluation>();
  WW_TRY(auto evaluation, evaluation_from_json(*text));
  return std::optional<Evaluation>(std::move(evaluation));
}

JudgePool::JudgePool(const Judging& judging) : judging_(judging) {
  for (int i = 0; i < std::max(judging.threads, 1); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

JudgePool::~JudgePool() { static_cast<void>(finish()); }

Status JudgePool::add(JudgeWish wish) {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [&] { return !failed_.ok() || waiting_.size() < kWaitingPerThread * threads_.size(); });
  if (!failed_.ok()) return failed_;
  waiting_.push_back(std::move(wish));
  changed_.notify_all();
  return {};
}

Status JudgePool::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  threads_.clear();  // joins
  return failed_;
}

void JudgePool::work() {
  while (true) {
    JudgeWish wish;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
      if (waiting_.empty() || !failed_.ok()) return;
      wish = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    const Status done = judge(wish);
    const std::lock_guard lock(mutex_);
    if (!done.ok() && failed_.ok()) failed_ = done;
    changed_.notify_all();
  }
}

Status JudgePool::judge(const JudgeWish& wish) {
  const std::string key = key_of(judging_, wish);
  {
    const std::lock_guard lock(mutex_);
    if (!under_way_.insert(key).second) return {};  // an equal one is being judged
  }
  const Status done = judge_as(key, wish);
  const std::lock_guard lock(mutex_);
  under_way_.erase(key);
  return done;
}

Status JudgePool::judge_as(const std::string& key, const JudgeWish& wish) {
  WW_TRY(const auto known, judging_.ledger->result(key));
  if (known) return {};
  WW_TRY(const bool is_new, judging_.ledger->add({key, "data", wish.task->name}));
  static_cast<void>(is_new);
  WW_CHECK(judging_.ledger->begin(key));
  Result<Evaluation> result = Error{"not judged"};
  for (int i = 0; i < kTries; ++i) {
    result = judging_.judge(wish, *judging_.stop);
    if (judging_.stop->requested()) return Error{"stopped"};
    if (result.ok() && result->verdict != Verdict::harness_error) break;
  }
  if (!result.ok()) return result.error();
  if (judging_.heard) judging_.heard(wish, *result);
  // Of a judge that failed nothing is remembered; the other answers are judged all the same.
  if (result->verdict == Verdict::harness_error) return judging_.ledger->drop(key);
  return judging_.ledger->finish(key, evaluation_to_json(*result));
}

}  // namespace warpwright::data
