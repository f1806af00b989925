// SPDX-License-Identifier: Apache-2.0
#include "profile/timing.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/mix.h"

namespace warpwright::profile {

namespace {

class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.now()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(clock_.now() - start_).count();
  }
  void restart() { start_ = clock_.now(); }

 private:
  const Clock& clock_;
  Nanoseconds start_;
};

Status check(const StopSignal* stop) {
  if (stop != nullptr && stop->requested()) return Error{"stopped while measuring"};
  return {};
}

Status warm_up(const NextSample& next, const WarmUp& rule, const Clock& clock,
               const StopSignal* stop, Timing& timing) {
  const Stopwatch watch(clock);
  double before = 0;
  while (watch.seconds() < rule.max_s) {
    std::vector<double> window;
    for (int i = 0; i < rule.window; ++i) {
      WW_CHECK(check(stop));
      WW_TRY(const double sample, next());
      window.push_back(sample);
      ++timing.warm_up_samples;
      if (watch.seconds() >= rule.max_s) break;
    }
    const double now = median(window);
    const bool steady = before > 0 && std::fabs(now - before) <= rule.settled_change * before;
    if (steady && watch.seconds() >= rule.min_s) {
      timing.settled = true;
      return {};
    }
    before = now;
  }
  return {};
}

/// Resampling takes as long as many samples do, and a GPU that waits for it may change its clock:
/// looks get rarer as samples get more.
class Looks {
 public:
  explicit Looks(int first) : next_(first) {}
  bool due(std::size_t count) {
    if (count < next_) return false;
    next_ = count + std::max<std::size_t>(count / 4, 4);
    return true;
  }

 private:
  std::size_t next_;
};

/// Samples since the last look at the clocks stand or fall together.
class Batches {
 public:
  Batches(ClockWatch* watch, double every_s, const Clock& clock)
      : watch_(watch), every_s_(every_s), since_(clock) {
    if (watch_ != nullptr) watch_->slowed();
  }
  /// How many of `count` samples are good, after a look where one is due.
  std::size_t good(std::size_t count, bool last) {
    if (watch_ == nullptr || !watch_->watching()) return count;
    if (count == good_ || (!last && since_.seconds() < every_s_)) return count;
    since_.restart();
    if (!watch_->slowed()) good_ = count;
    return good_;
  }

 private:
  ClockWatch* watch_;
  double every_s_;
  Stopwatch since_;
  std::size_t good_ = 0;
};

}  // namespace

namespace {

/// Calls from `first` on were slowed down: they are out.
void take_throttled(Timing& timing, std::size_t first, std::vector<double>& to) {
  const auto from = timing.samples_us.begin() + static_cast<std::ptrdiff_t>(first);
  to.insert(to.end(), from, timing.samples_us.end());
  timing.samples_us.erase(from, timing.samples_us.end());
  timing.calls_at.resize(timing.samples_us.size());
}

}  // namespace

Status gather_more(Timing& timing, const NextSample& next_sample_us, const TimingOptions& options,
                   const Clock& clock, const StopSignal* stop, ClockWatch* watch) {
  if (timing.always_throttled) {  // an earlier go found nothing better
    timing.samples_us.clear();
    timing.calls_at.clear();
  }
  const auto next = [&] { return ++timing.calls, next_sample_us(); };
  WW_CHECK(warm_up(next, options.warm_up, clock, stop, timing));
  const Stopwatch spent(clock);
  Batches batches(watch, options.watch_s, clock);
  std::vector<double>& samples = timing.samples_us;
  Looks looks(std::max(options.stop.min_samples, static_cast<int>(samples.size()) + 1));
  const std::size_t before = samples.size();
  std::vector<double> throttled;
  StopRule cheap = options.stop;
  cheap.min_samples = cheap.max_samples;  // count and time only
  for (bool last = false; !last;) {
    WW_CHECK(check(stop));
    WW_TRY(const double sample, next());
    samples.push_back(sample);
    timing.calls_at.push_back(timing.calls - 1);
    last = enough(looks.due(samples.size()) ? options.stop : cheap, samples, spent.seconds());
    const std::size_t good = batches.good(samples.size() - before, last);
    take_throttled(timing, before + good, throttled);
    if (last && samples.size() - before < throttled.size()) {
      last = spent.seconds() >= options.stop.max_s;
    }
  }
  timing.throttled += static_cast<int>(throttled.size());
  timing.always_throttled = samples.empty();
  if (timing.always_throttled) samples = std::move(throttled);
  return {};
}

namespace {

/// How many samples the place has that has the fewest.
std::size_t samples_of_rarest(std::span<const std::size_t> place_of, std::size_t places) {
  std::vector<std::size_t> counts(places, 0);
  for (const std::size_t place : place_of) ++counts[place];
  return counts.empty() ? 0 : *std::min_element(counts.begin(), counts.end());
}

}  // namespace

void conclude(Timing& timing, std::size_t places) {
  std::vector<std::size_t> place_of;
  if (places >= kLeastTimedPlaces && timing.calls_at.size() == timing.samples_us.size()) {
    for (const std::size_t call : timing.calls_at) place_of.push_back(call % places);
  }
  // Of fewer samples none of a place's own can be told to be an outlier.
  constexpr std::size_t kLeastToClean = 4;
  const bool by_place = samples_of_rarest(place_of, places) >= kLeastToClean;
  const Cleaned cleaned = by_place ? drop_outliers_by_place(timing.samples_us, place_of)
                                   : drop_outliers(timing.samples_us);
  timing.dropped = cleaned.dropped;
  std::vector<std::size_t> kept_place;
  if (!place_of.empty()) {
    for (const std::size_t at : cleaned.kept_at) kept_place.push_back(place_of[at]);
  }
  const bool all_seen = samples_of_rarest(kept_place, places) > 0;
  timing.time_us =
      all_seen ? interval_over_places(cleaned.kept, kept_place) : bootstrap_median(cleaned.kept);
}

Result<Timing> gather(const NextSample& next_sample_us, const TimingOptions& options,
                      const Clock& clock, const StopSignal* stop, ClockWatch* watch) {
  Timing timing;
  WW_CHECK(gather_more(timing, next_sample_us, options, clock, stop, watch));
  conclude(timing, options.places);
  return timing;
}

namespace {

/// A B B A or B A A B, by chance: a device may lay out in turns what it makes for the two.
bool first_begins(std::uint64_t quad, std::uint64_t seed) {
  return mixed_bits(seed + (quad + 1) * kMixStep) >> 63 != 0;
}

Status add_quad(const NextOfPair& a, const NextOfPair& b, std::uint64_t quad, std::uint64_t seed,
                PairedTiming& to) {
  const bool as_named = first_begins(quad, seed);
  const NextOfPair &outer = as_named ? a : b, &inner = as_named ? b : a;
  WW_TRY(const double outer1, outer(quad));
  WW_TRY(const double inner1, inner(quad));
  WW_TRY(const double inner2, inner(quad));
  WW_TRY(const double outer2, outer(quad));
  to.quads.push_back(quad);
  auto &of_outer = as_named ? to.a_us : to.b_us, &of_inner = as_named ? to.b_us : to.a_us;
  of_outer.insert(of_outer.end(), {outer1, outer2});
  of_inner.insert(of_inner.end(), {inner1, inner2});
  return {};
}

/// Moves pairs from `good` on to `out`.
void take_from(PairedTiming& timing, std::size_t good, PairedTiming& out) {
  const auto move = [](auto& from, auto& to, std::size_t keep) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(keep);
    to.insert(to.end(), first, from.end());
    from.erase(first, from.end());
  };
  move(timing.a_us, out.a_us, good);
  move(timing.b_us, out.b_us, good);
  move(timing.quads, out.quads, good / 2);
}

bool tight(const PairedTiming& timing, const PairTimingOptions& options) {
  PairOptions coarse = options.pairs;
  coarse.resamples = 400;
  return compare_paired(timing.a_us, timing.b_us, coarse, timing.quads).half_width() <=
         options.stop.half_width;
}

}  // namespace

Result<PairedTiming> gather_paired(const NextOfPair& next_a_us, const NextOfPair& next_b_us,
                                   const PairTimingOptions& options, const Clock& clock,
                                   const StopSignal* stop, ClockWatch* watch) {
  Timing ignored;
  // What a device makes at a first call lies where it comes to lie: neither may have all of its
  // first calls before the other.
  std::uint64_t warming = 0;
  const auto both = [&]() -> Result<double> {
    PairedTiming one;
    WW_CHECK(add_quad(next_a_us, next_b_us, warming++, ~options.order_seed, one));
    return one.a_us[0] + one.a_us[1] + one.b_us[0] + one.b_us[1];
  };
  WW_CHECK(warm_up(both, options.warm_up, clock, stop, ignored));
  const Stopwatch spent(clock);
  Batches batches(watch, options.watch_s, clock);
  Looks looks(options.stop.min_quads);
  PairedTiming timing, throttled;
  std::uint64_t quad = 0;
  for (bool last = false; !last;) {
    WW_CHECK(check(stop));
    WW_CHECK(add_quad(next_a_us, next_b_us, quad++, options.order_seed, timing));
    const std::size_t quads = timing.a_us.size() / 2;
    last = (quads >= kLeastQuads && spent.seconds() >= options.stop.max_s) ||
           quads >= static_cast<std::size_t>(options.stop.max_quads) ||
           (looks.due(quads) && tight(timing, options));
    take_from(timing, batches.good(timing.a_us.size(), last), throttled);
    if (last && timing.a_us.size() < throttled.a_us.size()) {
      last = spent.seconds() >= options.stop.max_s;
    }
  }
  timing.throttled = static_cast<int>(throttled.a_us.size());
  if (timing.a_us.empty()) {
    timing.always_throttled = true;
    std::swap(timing.a_us, throttled.a_us);
    std::swap(timing.b_us, throttled.b_us);
    std::swap(timing.quads, throttled.quads);
  }
  timing.comparison = compare_paired(timing.a_us, timing.b_us, options.pairs, timing.quads);
  return timing;
}

}  // namespace warpwright::profile
