// SPDX-License-Identifier: Apache-2.0
#include "fleet/taker.h"

#include <algorithm>
#include <thread>

namespace warpwright::fleet {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// A list that is older may lack a queue whose turn it is.
constexpr auto kListAge = 500ms;
constexpr std::chrono::microseconds kShortestGlance = 5ms;
constexpr std::chrono::microseconds kLongestGlance = 100ms;
// Of the time between two looks, at most one part in this many is spent looking.
constexpr int kLookingShare = 5;

}  // namespace

Taker::Taker(const Spool& spool, std::string pilot, std::string gpu_key)
    : spool_(spool),
      pilot_(std::move(pilot)),
      gpu_key_(std::move(gpu_key)),
      random_(std::random_device{}()) {}

/// In another order than other pilots: they would ask for the same job at the same time.
void Taker::list() {
  listed_.clear();
  for (const std::string& queue : spool_.queues()) {
    std::vector<std::string> jobs = spool_.waiting(queue);
    std::erase_if(jobs, [&](const auto& job) { return !suits(job, gpu_key_); });
    if (jobs.empty()) continue;
    std::shuffle(jobs.begin(), jobs.end(), random_);
    listed_[queue].assign(jobs.begin(), jobs.end());
  }
  listed_at_ = Steady::now();
}

std::optional<Taker::Taken> Taker::take_listed() {
  while (!listed_.empty()) {
    auto queue = listed_.upper_bound(last_queue_);
    if (queue == listed_.end()) queue = listed_.begin();
    const Waiting place{queue->first, queue->second.front()};
    queue->second.pop_front();
    if (queue->second.empty()) listed_.erase(queue);
    if (auto job = spool_.take(pilot_, place)) {
      last_queue_ = place.queue;
      return Taken{place, std::move(*job)};
    }
  }
  return std::nullopt;
}

std::optional<Taker::Taken> Taker::next(const std::function<bool()>& over,
                                        const std::function<void()>& idle) {
  const std::lock_guard hold(mutex_);
  for (std::chrono::microseconds glance = kShortestGlance; !over();) {
    if (Steady::now() - listed_at_ > kListAge) listed_.clear();
    if (auto taken = take_listed()) return taken;
    const auto before = Steady::now();
    list();
    if (!listed_.empty()) continue;
    idle();
    const auto looking =
        std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - before);
    std::this_thread::sleep_for(std::max(glance, looking * kLookingShare));
    glance = std::min(glance * 5 / 4, kLongestGlance);
  }
  return std::nullopt;
}

}  // namespace warpwright::fleet
