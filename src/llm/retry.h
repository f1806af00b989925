// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwright::llm {

/// What a failed response said about trying again.
struct RetryHints {
  std::optional<std::chrono::milliseconds> after;  ///< retry-after-ms or retry-after
  std::optional<bool> should_retry;                ///< x-should-retry
};

/// Reads one response header ("retry-after: 7") into the hints; others are ignored. A date is
/// taken relative to now_unix_s.
void take_hint(RetryHints& hints, std::string_view header, std::int64_t now_unix_s);

/// Whether the same request may succeed later: 408, 409, 429, 5xx, unless the server says
/// otherwise. Requests that are wrong, unpaid or forbidden stay so whatever the server says.
bool may_retry(int status, const RetryHints& hints);

inline constexpr std::chrono::milliseconds kMaxRetryWait{60'000};

/// The wait before try number `next_try` (2, 3, ...): the server's own word, else 1 s doubled each
/// time; never above kMaxRetryWait. jitter is in [0, 1) and takes off up to a quarter of our own
/// delays, so that many clients do not come back at once.
std::chrono::milliseconds retry_wait(int next_try, const RetryHints& hints, double jitter);

}  // namespace warpwright::llm
