// SPDX-License-Identifier: Apache-2.0
#include "llm/rate_limit.h"

#include <algorithm>

namespace warpwright::llm {

namespace {

constexpr Nanoseconds kMinute = std::chrono::minutes(1);

}  // namespace

Nanoseconds RateLimit::admit(Nanoseconds now, std::int64_t tokens) {
  const std::scoped_lock guard(mutex_);
  if (now < held_until_) return held_until_ - now;
  while (!last_minute_.empty() && last_minute_.front().when + kMinute <= now) {
    last_minute_.pop_front();
  }
  double requests = static_cast<double>(last_minute_.size());
  double spent = 0;
  for (const Sent& sent : last_minute_) spent += static_cast<double>(sent.tokens);
  // Walk forward in time until enough old requests have left the window.
  Nanoseconds wait{0};
  for (const Sent& sent : last_minute_) {
    const bool crowded = requests_per_minute_ > 0 && requests + 1 > requests_per_minute_;
    const bool heavy =
        tokens_per_minute_ > 0 && spent + static_cast<double>(tokens) > tokens_per_minute_;
    if (!crowded && !heavy) break;
    wait = sent.when + kMinute - now;
    requests -= 1;
    spent -= static_cast<double>(sent.tokens);
  }
  if (wait.count() == 0) last_minute_.push_back({now, tokens});
  return wait;
}

void RateLimit::hold(Nanoseconds until) {
  const std::scoped_lock guard(mutex_);
  held_until_ = std::max(held_until_, until);
}

}  // namespace warpwright::llm
