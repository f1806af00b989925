// SPDX-License-Identifier: Apache-2.0
#include "profile/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profile/fake_clock.h"

namespace warpwright::profile {
namespace {

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
    return [&clock, &order, &drift, name, us](std::uint64_t) -> Result<double> {
      clock.advance(0.001);
      order += name;
      drift += 0.001;
      return us * drift;
    };
  };
  const auto paired =
      gather_paired(sampler('a', 100), sampler('b', 103), {.warm_up = {.max_s = 0.01}}, clock);
  ASSERT_TRUE(paired.ok());
  EXPECT_EQ(paired->comparison.order, Order::faster);
  std::size_t begun_by_a = 0;  // from the first sample on: warming up is done in quads, too
  for (std::size_t at = 0; at < order.size(); at += 4) {
    const std::string quad = order.substr(at, 4);
    EXPECT_TRUE(quad == "abba" || quad == "baab") << quad;
    begun_by_a += quad == "abba";
  }
  EXPECT_GT(begun_by_a, order.size() / 16);
  EXPECT_LT(begun_by_a, order.size() * 3 / 16);
  EXPECT_EQ(paired->a_us.size(), 48U);  // drift cancels: the least number of quads is enough
}

TEST(Timing, BothOfAPairSeeTheSameData) {
  FakeClock clock;
  std::vector<std::uint64_t> of_a, of_b;
  const auto sampler = [&](std::vector<std::uint64_t>& seen) {
    return [&](std::uint64_t pair) -> Result<double> {
      clock.advance(0.001);
      seen.push_back(pair);
      return 10.0;
    };
  };
  const auto paired =
      gather_paired(sampler(of_a), sampler(of_b), {.warm_up = {.min_s = 0, .max_s = 0}}, clock);
  ASSERT_TRUE(paired.ok());
  EXPECT_EQ(of_a, of_b);
  EXPECT_EQ(of_a[0], of_a[1]);  // a whole quad does
  EXPECT_EQ(of_a[2], 1U);
}

TEST(Timing, PairsOfALongKernelEndAfterTheLeastNumber) {
  FakeClock clock;
  const auto sampler = [&](std::uint64_t) -> Result<double> {
    clock.advance(1);
    return 1e6;
  };
  const auto paired = gather_paired(sampler, sampler, {.warm_up = {.min_s = 0, .max_s = 0}}, clock);
  ASSERT_TRUE(paired.ok());
  EXPECT_EQ(paired->a_us.size(), 2 * kLeastQuads);
  EXPECT_EQ(paired->comparison.order, Order::same);
}

/// A GPU whose state is a function of the time.
ClockWatch watch_of(const FakeClock& clock, std::function<device::GpuState(double)> state) {
  return ClockWatch([&clock, state = std::move(state)] {
    return state(std::chrono::duration<double>(clock.now()).count());
  });
}

TEST(Timing, ThrottledSamplesAreThrownAwayAndCounted) {
  FakeClock clock;
  const auto hot = [&](double s) { return s > 0.1 && s < 0.3; };
  Source source{.clock = clock, .value = [&](int) {
                  return hot(std::chrono::duration<double>(clock.now()).count()) ? 150.0 : 100.0;
                }};
  ClockWatch watch = watch_of(clock, [&](double s) {
    return device::GpuState{.sm_mhz = 1980,
                            .temperature_c = hot(s) ? 95 : 60,
                            .reasons = hot(s) ? device::kGpuThermalSlowdown : 0};
  });
  const TimingOptions options{.warm_up = {.min_s = 0, .max_s = 0.01},
                              .stop = {.min_samples = 400, .max_samples = 400, .max_s = 5},
                              .watch_s = 0.01};
  const auto timing = gather(source.sampler(), options, clock, nullptr, &watch);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->samples_us.size(), 400U);
  EXPECT_NEAR(timing->throttled, 200, 25);
  // All but those between the last good look and the brake are free of it.
  EXPECT_LE(std::count(timing->samples_us.begin(), timing->samples_us.end(), 150.0), 12);
  EXPECT_EQ(timing->time_us.median, 100);
  EXPECT_EQ(watch.highest_c(), 95);
  EXPECT_EQ(device::describe_reasons(watch.reasons()), "thermal slowdown");
}

TEST(Timing, AGpuThatIsAlwaysThrottledIsMeasuredAndSaidSo) {
  FakeClock clock;
  Source source{.clock = clock, .value = [](int) { return 100.0; }};
  ClockWatch watch = watch_of(clock, [](double) {
    return device::GpuState{.sm_mhz = 400, .reasons = device::kGpuHardwareSlowdown};
  });
  const TimingOptions options{.stop = {.max_s = 0.2}};
  const auto timing = gather(source.sampler(), options, clock, nullptr, &watch);
  ASSERT_TRUE(timing.ok());
  EXPECT_TRUE(timing->always_throttled);
  EXPECT_NEAR(static_cast<double>(timing->samples_us.size()), 200, 5);
  const auto next = [&](std::uint64_t) { return source.sampler()(); };
  const auto paired = gather_paired(next, next, {.stop = {.max_s = 0.2}}, clock, nullptr, &watch);
  ASSERT_TRUE(paired.ok());
  EXPECT_TRUE(paired->always_throttled);
  EXPECT_FALSE(paired->a_us.empty());
}

TEST(Timing, ALowClockCountsUnlessTheGpuIdlesOrIsAtItsPowerCap) {
  std::vector<device::GpuState> states = {
      {.sm_mhz = 1980},
      {.sm_mhz = 1400},
      {.sm_mhz = 1400, .reasons = device::kGpuPowerCapped},
      {.sm_mhz = 345, .reasons = device::kGpuIdle},
      {},
      {.sm_mhz = 1600},
  };
  std::size_t at = 0;
  ClockWatch watch([&] { return states[at++]; });
  std::string slowed;
  for (std::size_t i = 0; i < states.size(); ++i) slowed += watch.slowed() ? 'x' : '.';
  EXPECT_EQ(slowed, ".x....");
  EXPECT_EQ(watch.highest_mhz(), 1980);
  EXPECT_EQ(watch.lowest_mhz(), 1400);
  EXPECT_FALSE(ClockWatch().slowed());
}

TEST(Timing, GoesAddUpAndPlacesAreKeptApart) {
  FakeClock clock;
  std::uint64_t calls = 0;
  const auto next = [&]() -> Result<double> {
    clock.advance(0.001);
    return calls++ % 8 < 4 ? 10.0 : 10.4;
  };
  TimingOptions options{.warm_up = {.min_s = 0, .max_s = 0.004}, .places = 8};
  options.stop = {.min_samples = 9, .max_samples = 9, .max_s = 5};
  Timing timing;
  ASSERT_TRUE(gather_more(timing, next, options, clock).ok());
  EXPECT_EQ(timing.samples_us.size(), 9U);
  options.warm_up.max_s = 0;
  options.stop.min_samples = options.stop.max_samples = 25;
  ASSERT_TRUE(gather_more(timing, next, options, clock).ok());
  EXPECT_EQ(timing.samples_us.size(), 25U);
  EXPECT_EQ(timing.calls, calls);
  conclude(timing, 8);
  for (std::size_t i = 0; i < timing.samples_us.size(); ++i) {
    EXPECT_EQ(timing.samples_us[i], timing.calls_at[i] % 8 < 4 ? 10.0 : 10.4);
  }
  EXPECT_NEAR(timing.time_us.median, 10.2, 1e-9);
  EXPECT_LT(timing.time_us.low, 10.1);
  EXPECT_GT(timing.time_us.high, 10.3);
}

TEST(Timing, OneDisturbedCallIsDroppedWherePlacesHaveFewSamples) {
  Timing timing;
  for (std::uint64_t call = 0; call < 30; ++call) {
    timing.samples_us.push_back(call == 7 ? 50.0 : 10.0 + 0.01 * static_cast<double>(call % 3));
    timing.calls_at.push_back(call);
  }
  conclude(timing, 24);
  EXPECT_EQ(timing.dropped, 1);
  EXPECT_NEAR(timing.time_us.median, 10.01, 0.02);
}

// On an H200 a transpose of 4 MiB takes 11.1 us at eleven places and 13.0 at the twelfth, which is
// another one in each evaluation.
TEST(Timing, APlaceThatIsSlowEveryTimeCountsInEveryEvaluation) {
  std::vector<double> times;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    Timing timing;
    const std::uint64_t slow = seed % 12;
    for (std::uint64_t call = 0; call < 96; ++call) {
      const double noise = 0.15 * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
      timing.samples_us.push_back((call % 12 == slow ? 13.0 : 11.1) + noise);
      timing.calls_at.push_back(call);
    }
    conclude(timing, 12);
    times.push_back(timing.time_us.median);
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LT(*most / *least, 1.008);
  EXPECT_NEAR(*least, 11.26, 0.06);
  EXPECT_NEAR(*most, 11.26, 0.06);
}

}  // namespace
}  // namespace warpwright::profile
