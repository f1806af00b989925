// SPDX-License-Identifier: Apache-2.0
#include "service/queue.h"

#include <exception>

#include "base/sha256.h"
#include "core/evaluation_json.h"

namespace warpwright::service {

namespace {

constexpr std::uint64_t kForgetEvery = 1000;
constexpr std::int64_t kKeptOnDisk = 1'000'000;

}  // namespace

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

std::string JudgeQueue::id_of(const std::string& key) { return sha256_hex(key); }

/// A ticket of a verdict on disk; null where there is none.
std::shared_ptr<Ticket> JudgeQueue::recalled(const std::string& id) {
  if (options_.ledger == nullptr) return nullptr;
  const auto text = options_.ledger->result(id);
  if (!text.ok() || !text->has_value()) return nullptr;
  auto evaluation = evaluation_from_json(**text);
  if (!evaluation.ok()) return nullptr;
  auto ticket = std::make_shared<Ticket>();
  ticket->id_ = id;
  ticket->stand_.state = Ticket::State::done;
  ticket->stand_.evaluation = std::move(evaluation).value();
  return ticket;
}

void JudgeQueue::line_up(const std::string& client, const std::shared_ptr<Ticket>& ticket) {
  tickets_[ticket->id_] = ticket;
  waiting_[client].push_back(ticket);
  ++figures_.waiting;
  changed_.notify_one();
}

std::shared_ptr<Ticket> JudgeQueue::ask(const Asking& asking, Ticket::Work work) {
  const std::string id = id_of(asking.key);
  const std::lock_guard lock(mutex_);
  ++figures_.asked;
  if (const auto found = tickets_.find(id); found != tickets_.end()) {
    ++figures_.shared;
    return found->second;
  }
  if (auto known = recalled(id)) {
    ++figures_.shared;
    return known;
  }
  if (figures_.waiting >= options_.longest || stop_.requested()) {
    ++figures_.refused;
    return nullptr;
  }
  // What cannot be written is judged all the same, and is lost with this process.
  if (options_.ledger != nullptr) {
    static_cast<void>(options_.ledger->add({id, asking.client, asking.wish}).ok());
  }
  auto ticket = std::make_shared<Ticket>();
  ticket->id_ = id;
  ticket->work_ = std::move(work);
  line_up(asking.client, ticket);
  return ticket;
}

void JudgeQueue::resume(const std::string& id, const std::string& client, Ticket::Work work) {
  const std::lock_guard lock(mutex_);
  if (tickets_.contains(id)) return;
  ++figures_.resumed;
  auto ticket = std::make_shared<Ticket>();
  ticket->id_ = id;
  ticket->work_ = std::move(work);
  line_up(client, ticket);
}

std::shared_ptr<Ticket> JudgeQueue::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = tickets_.find(id);
  return found == tickets_.end() ? recalled(id) : found->second;
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

/// Tries again where the judge failed: another runner takes the place of one that died.
Result<Evaluation> JudgeQueue::judge(Ticket& ticket) {
  Result<Evaluation> result = Error{"not judged"};
  for (int i = 0; i < options_.tries && !stop_.requested(); ++i) {
    if (i > 0) {
      const std::lock_guard lock(mutex_);
      ++figures_.retried;
    }
    if (options_.ledger != nullptr) static_cast<void>(options_.ledger->begin(ticket.id_).ok());
    try {
      result = ticket.work_(stop_);
    } catch (const std::exception& error) {
      result = Error{std::string("an error that was not foreseen: ") + error.what()};
    }
    if (result.ok() && result->verdict != Verdict::harness_error) break;
  }
  return result;
}

void JudgeQueue::work() {
  while (const auto ticket = next()) {
    {
      const std::lock_guard lock(ticket->mutex_);
      ticket->stand_.state = Ticket::State::running;
    }
    const auto start = std::chrono::steady_clock::now();
    Result<Evaluation> result = judge(*ticket);
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

/// Whether the verdict is on disk.
bool JudgeQueue::remember(const std::string& id, const Evaluation& evaluation) {
  if (options_.ledger == nullptr) return false;
  const bool stored = options_.ledger->finish(id, evaluation_to_json(evaluation)).ok();
  if (stored && ++stored_ % kForgetEvery == 0) {
    static_cast<void>(options_.ledger->keep(kKeptOnDisk).ok());
  }
  return stored;
}

void JudgeQueue::finish(Ticket& ticket, Result<Evaluation> result, double seconds) {
  const bool judged = result.ok() && result->verdict != Verdict::harness_error;
  const bool stored = judged && remember(ticket.id_, *result);
  // A question that the end of this process left open is the next one's.
  if (!judged && !stop_.requested() && options_.ledger != nullptr) {
    static_cast<void>(options_.ledger->drop(ticket.id_).ok());
  }
  {
    const std::lock_guard lock(mutex_);
    --figures_.running;
    figures_.judged_s += seconds;
    if (judged) {
      ++figures_.verdicts[std::string(name_of(result->verdict))];
    } else {
      ++figures_.failed;
    }
    if (judged && !stored) {
      finished_.push_back(ticket.id_);
      forget_oldest();
    } else {
      tickets_.erase(ticket.id_);  // on disk, or whoever asks again is judged again
    }
  }
  const std::lock_guard lock(ticket.mutex_);
  ticket.work_ = nullptr;
  ticket.stand_.state = Ticket::State::done;
  if (judged) {
    ticket.stand_.evaluation = std::move(result).value();
  } else {
    ticket.stand_.error = result.ok() ? result->reason : result.error().message;
  }
  ticket.changed_.notify_all();
}

}  // namespace warpwright::service
