// SPDX-License-Identifier: Apache-2.0
#include "llm/retry.h"

#include <gtest/gtest.h>

namespace warpwright::llm {
namespace {

using std::chrono::milliseconds;

TEST(Retry, OnlyWhatCanGetBetterIsTriedAgain) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(may_retry(status, {})) << status;
    EXPECT_FALSE(may_retry(status, {.should_retry = false})) << status;
  }
  for (const int status : {400, 401, 402, 403, 404, 422}) {
    EXPECT_FALSE(may_retry(status, {})) << status;
    EXPECT_FALSE(may_retry(status, {.should_retry = true})) << status;
  }
  EXPECT_FALSE(may_retry(418, {}));
  EXPECT_TRUE(may_retry(418, {.should_retry = true}));
}

RetryHints hints_of(std::initializer_list<std::string_view> headers) {
  RetryHints hints;
  for (const auto header : headers) take_hint(hints, header, 1445412460);
  return hints;
}

TEST(Retry, HeadersAreRead) {
  EXPECT_EQ(hints_of({"Retry-After: 7\r\n"}).after, milliseconds(7000));
  EXPECT_EQ(hints_of({"retry-after: 0.5"}).after, milliseconds(500));
  EXPECT_EQ(hints_of({"retry-after-ms: 20"}).after, milliseconds(20));
  EXPECT_EQ(hints_of({"retry-after: 7", "retry-after-ms: 20"}).after, milliseconds(20));
  EXPECT_EQ(hints_of({"retry-after-ms: 20", "retry-after: 7"}).after, milliseconds(20));
  EXPECT_EQ(hints_of({"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"}).after, milliseconds(20000));
  EXPECT_EQ(hints_of({"Retry-After: Wed, 21 Oct 2015 07:00:00 GMT"}).after, milliseconds(0));
  EXPECT_EQ(hints_of({"retry-after: soon"}).after, std::nullopt);
  EXPECT_EQ(hints_of({"retry-after: -3"}).after, milliseconds(0));
  EXPECT_EQ(hints_of({"retry-after: nan"}).after, std::nullopt);
  EXPECT_EQ(hints_of({"X-Should-Retry: true"}).should_retry, true);
  EXPECT_EQ(hints_of({"x-should-retry: false"}).should_retry, false);
  EXPECT_EQ(hints_of({"no colon", "x-other: 5", ""}).after, std::nullopt);
}

TEST(Retry, WaitsDoubleUpToTheCap) {
  const RetryHints none;
  EXPECT_EQ(retry_wait(2, none, 0), milliseconds(1000));
  EXPECT_EQ(retry_wait(3, none, 0), milliseconds(2000));
  EXPECT_EQ(retry_wait(6, none, 0), milliseconds(16000));
  EXPECT_EQ(retry_wait(9, none, 0), kMaxRetryWait);
  EXPECT_EQ(retry_wait(1000, none, 0), kMaxRetryWait);
  EXPECT_EQ(retry_wait(2, none, 0.999999), milliseconds(750));
}

TEST(Retry, TheServersWordIsTakenUpToTheCap) {
  EXPECT_EQ(retry_wait(2, {.after = milliseconds(12000)}, 0.9), milliseconds(12000));
  EXPECT_EQ(retry_wait(2, {.after = std::chrono::hours(5)}, 0.9), kMaxRetryWait);
}

}  // namespace
}  // namespace warpwright::llm
