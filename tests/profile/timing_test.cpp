// SPDX-License-Identifier: Apache-2.0
#include "profile/timing.h"

#include <gtest/gtest.h>

namespace warpwright::profile {
namespace {

/// Moves by hand; each sample costs a fixed time.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return now_; }
  [[nodiscard]] std::int64_t unix_ms() const override { return 0; }
  void advance(double seconds) { now_ += Nanoseconds(static_cast<std::int64_t>(seconds * 1e9)); }

 private:
  Nanoseconds now_{0};
};

struct Source {
  FakeClock& clock;
  double cost_s = 0.001;
  std::function<double(int)> value;
  int calls = 0;

  NextSample sampler() {
    return [this]() -> Result<double> {
      clock.advance(cost_s);
      return value(calls++);
    };
  }
};

TEST(Timing, WarmUpLastsUntilClocksSettle) {
  FakeClock clock;
  Source source{.clock = clock,
                .value = [](int call) { return call < 100 ? 200.0 - call : 100.0; }};
  const auto timing = gather(source.sampler(), {.warm_up = {.min_s = 0.01, .max_s = 5}}, clock);
  ASSERT_TRUE(timing.ok());
  EXPECT_TRUE(timing->settled);
  EXPECT_DOUBLE_EQ(timing->time_us.median, timing->samples_us.front());
  EXPECT_LT(timing->samples_us.size(), 50U);
}

TEST(Timing, ARestlessSourceEndsAtTheLimits) {
  FakeClock clock;
  Source source{.clock = clock, .value = [](int call) { return call % 10 < 5 ? 10.0 : 30.0; }};
  const TimingOptions options{.warm_up = {.min_s = 0.01, .max_s = 0.1},
                              .stop = {.max_samples = 1000, .max_s = 0.3}};
  const auto timing = gather(source.sampler(), options, clock);
  ASSERT_TRUE(timing.ok());
  EXPECT_FALSE(timing->settled);
  EXPECT_NEAR(static_cast<double>(timing->samples_us.size()), 300, 2);
  EXPECT_GE(timing->time_us.high, timing->time_us.low);
}

TEST(Timing, ALongKernelGetsOneSampleAtLeast) {
  FakeClock clock;
  Source source{.clock = clock, .cost_s = 10, .value = [](int) { return 1e7; }};
  const auto timing = gather(source.sampler(), {}, clock);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->samples_us.size(), 1U);
  EXPECT_EQ(timing->warm_up_samples, 1);
}

TEST(Timing, OutliersAreCountedAndLeftOut) {
  FakeClock clock;
  Source source{.clock = clock, .value = [](int call) { return call % 12 == 11 ? 900.0 : 100.0; }};
  const auto timing = gather(source.sampler(), {.stop = {.min_samples = 24}}, clock);
  ASSERT_TRUE(timing.ok());
  EXPECT_GE(timing->dropped, 1);
  EXPECT_EQ(timing->time_us.high, 100);
}

TEST(Timing, ErrorsAndStopsEndIt) {
  FakeClock clock;
  const auto failing =
      gather([]() -> Result<double> { return Error{"the device is gone"}; }, {}, clock);
  ASSERT_FALSE(failing.ok());
  EXPECT_EQ(failing.error().message, "the device is gone");
  StopSignal stop;
  stop.request(StopReason::deadline);
  Source source{.clock = clock, .value = [](int) { return 1.0; }};
  EXPECT_FALSE(gather(source.sampler(), {}, clock, &stop).ok());
}

TEST(Timing, PairsAlternateAndAgreeWithTheTruth) {
  FakeClock clock;
  std::string order;
  double drift = 1;
  const auto sampler = [&](char name, double us) {
    return [&clock, &order, &drift, name, us]() -> Result<double> {
      clock.advance(0.001);
      order += name;
      drift += 0.001;
      return us * drift;
    };
  };
  const auto paired =
      gather_paired(sampler('a', 100), sampler('b', 103),
                    {.warm_up = {.max_s = 0.01}, .stop = {.min_samples = 20}}, clock);
  ASSERT_TRUE(paired.ok());
  EXPECT_EQ(paired->comparison.result, Comparison::faster);
  EXPECT_NE(order.find("abbaabba"), std::string::npos);
}

}  // namespace
}  // namespace warpwright::profile
