// SPDX-License-Identifier: Apache-2.0
#include "service/queue.h"

#include <exception>

#include "base/sha256.h"

namespace warpwright::service {

Ticket::Stand Ticket::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return stand_.state == State::done; });
  return stand_;
}

JudgeQueue::JudgeQueue(QueueOptions options) : options_(options) {
  for (int i = 0; i < options_.parallelism; ++i) threads_.emplace_back([this] { work(); });
}

JudgeQueue::~JudgeQueue() { stop(); }

void JudgeQueue::stop() {
  std::map<std::string, std::deque<std::shared_ptr<Ticket>>> left;
  {
    const std::lock_guard lock(mutex_);
    stop_.request(StopReason::interrupted);
    left.swap(waiting_);
    figures_.waiting = 0;
    changed_.notify_all();
  }
  for (const auto& [client, tickets] : left) {
    for (const auto& ticket : tickets) {
      const std::lock_guard lock(ticket->mutex_);
      ticket->stand_.state = Ticket::State::done;
      ticket->stand_.error = "the server ends";
      ticket->changed_.notify_all();
    }
  }
}

std::shared_ptr<Ticket> JudgeQueue::ask(const std::string& key, const std::string& client,
                                        Ticket::Work work) {
  const std::string id = sha256_hex(key);
  const std::lock_guard lock(mutex_);
  ++figures_.asked;
  if (const auto found = tickets_.find(id); found != tickets_.end()) {
    ++figures_.shared;
    return found->second;
  }
  if (figures_.waiting >= options_.longest || stop_.requested()) {
    ++figures_.refused;
    return nullptr;
  }
  auto ticket = std::make_shared<Ticket>();
  ticket->id_ = id;
  ticket->work_ = std::move(work);
  tickets_[id] = ticket;
  waiting_[client].push_back(ticket);
  ++figures_.waiting;
  changed_.notify_one();
  return ticket;
}

std::shared_ptr<Ticket> JudgeQueue::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = tickets_.find(id);
  return found == tickets_.end() ? nullptr : found->second;
}

QueueFigures JudgeQueue::figures() {
  const std::lock_guard lock(mutex_);
  return figures_;
}

/// The first question of the client after the one who had the last turn; null at the end.
std::shared_ptr<Ticket> JudgeQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_.requested() || !waiting_.empty(); });
  if (stop_.requested()) return nullptr;
  auto turn = waiting_.upper_bound(last_client_);
  if (turn == waiting_.end()) turn = waiting_.begin();
  last_client_ = turn->first;
  auto ticket = turn->second.front();
  turn->second.pop_front();
  if (turn->second.empty()) waiting_.erase(turn);
  --figures_.waiting;
  ++figures_.running;
  return ticket;
}

void JudgeQueue::work() {
  while (const auto ticket = next()) {
    {
      const std::lock_guard lock(ticket->mutex_);
      ticket->stand_.state = Ticket::State::running;
    }
    const auto start = std::chrono::steady_clock::now();
    Result<Evaluation> result = Error{"not judged"};
    try {
      result = ticket->work_(stop_);
    } catch (const std::exception& error) {
      result = Error{std::string("an error that was not foreseen: ") + error.what()};
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    finish(*ticket, std::move(result), taken.count());
  }
}

void JudgeQueue::forget_oldest() {
  while (finished_.size() > options_.kept) {
    tickets_.erase(finished_.front());
    finished_.pop_front();
  }
}

void JudgeQueue::finish(Ticket& ticket, Result<Evaluation> result, double seconds) {
  const bool judged = result.ok() && result->verdict != Verdict::harness_error;
  {
    const std::lock_guard lock(mutex_);
    --figures_.running;
    figures_.judged_s += seconds;
    if (judged) {
      ++figures_.verdicts[std::string(name_of(result->verdict))];
      finished_.push_back(ticket.id_);
      forget_oldest();
    } else {
      ++figures_.failed;
      tickets_.erase(ticket.id_);  // whoever asks again is judged again
    }
  }
  const std::lock_guard lock(ticket.mutex_);
  ticket.work_ = nullptr;
  ticket.stand_.state = Ticket::State::done;
  if (result.ok() && judged) {
    ticket.stand_.evaluation = std::move(result).value();
  } else {
    ticket.stand_.error = result.ok() ? result->reason : result.error().message;
  }
  ticket.changed_.notify_all();
}

}  // namespace warpwright::service
