// SPDX-License-Identifier: Apache-2.0
#include "llm/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include <curl/curl.h>

#include "base/text.h"

namespace warpwright::llm {

namespace {

using Milliseconds = std::chrono::milliseconds;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return std::clamp(value, 0.0, 1e9);
}

std::optional<Milliseconds> wait_of(std::string_view value, std::int64_t now_unix_s) {
  if (const auto seconds = number_of(value)) {
    return Milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  }
  const time_t date = ::curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return {};
  return Milliseconds(1000 * std::max<std::int64_t>(0, date - now_unix_s));
}

}  // namespace

void take_hint(RetryHints& hints, std::string_view header, std::int64_t now_unix_s) {
  const auto colon = header.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(trimmed(header.substr(0, colon)));
  const std::string_view value = trimmed(header.substr(colon + 1));
  if (name == "x-should-retry") hints.should_retry = value == "true";
  if (name == "retry-after-ms") {
    if (const auto number = number_of(value)) {
      hints.after = Milliseconds(static_cast<std::int64_t>(*number));
    }
  }
  // The finer header wins, whichever comes first.
  if (name == "retry-after" && !hints.after) hints.after = wait_of(value, now_unix_s);
}

bool may_retry(int status, const RetryHints& hints) {
  switch (status) {
    case 400:
    case 401:
    case 402:
    case 403:
    case 404:
    case 422:
      return false;
    default:
      break;
  }
  if (hints.should_retry) return *hints.should_retry;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::chrono::milliseconds retry_wait(int next_try, const RetryHints& hints, double jitter) {
  if (hints.after) return std::min(*hints.after, kMaxRetryWait);
  const int doublings = std::clamp(next_try - 2, 0, 16);
  const double ms =
      std::min(1000.0 * std::pow(2.0, doublings), static_cast<double>(kMaxRetryWait.count()));
  return Milliseconds(static_cast<std::int64_t>(ms * (1.0 - 0.25 * jitter)));
}

}  // namespace warpwright::llm
