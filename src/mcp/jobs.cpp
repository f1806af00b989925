// SPDX-License-Identifier: Apache-2.0
#include "mcp/jobs.h"

#include <sys/random.h>

#include <array>

#include "base/assert.h"

namespace warpwright::mcp {

ToolAnswer tool_failure(std::string text) { return {Json::object(), std::move(text), true}; }

ToolAnswer guarded(const std::function<ToolAnswer()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    // A library's: memory that ran out, most of all. The server goes on.
    return tool_failure(std::string("an error that was not foreseen: ") + error.what());
  }
}

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  const auto count = ::getrandom(bytes.data(), bytes.size(), 0);
  ASSERT(count == static_cast<ssize_t>(bytes.size()), "the system gives no random bytes");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : bytes) name += {kDigits[byte >> 4], kDigits[byte & 15]};
  return name;
}

Job::Job(std::string name, Work work) : name_(std::move(name)) {
  thread_ = std::jthread([this, work = std::move(work)] {
    ToolAnswer answer = guarded([&] { return work(stop_); });
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
    changed_.notify_all();
  });
}

double Job::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::optional<ToolAnswer> Job::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return answer_.has_value(); });
  return answer_;
}

bool Job::done() {
  const std::lock_guard lock(mutex_);
  return answer_.has_value();
}

JobTable::~JobTable() { cancel_all(); }

std::shared_ptr<Job> JobTable::start(Job::Work work) {
  const std::lock_guard lock(mutex_);
  std::size_t running = 0;
  for (const auto& job : jobs_) running += job->done() ? 0 : 1;
  if (running >= at_once_) return nullptr;
  for (auto old = jobs_.begin(); old != jobs_.end() && jobs_.size() >= kept_;) {
    old = (*old)->done() ? jobs_.erase(old) : std::next(old);
  }
  jobs_.push_back(std::shared_ptr<Job>(new Job("job-" + random_name(), std::move(work))));
  return jobs_.back();
}

std::shared_ptr<Job> JobTable::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->name() == name) return job;
  }
  return nullptr;
}

void JobTable::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) job->cancel();
}

}  // namespace warpwright::mcp
