// SPDX-License-Identifier: Apache-2.0
#include "tune/tuning.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "tune/tuner.h"

namespace warpwright::tune {

namespace {

constexpr std::size_t kMostFinalists = 8;

std::optional<double> time_of(const Evaluation& evaluation) {
  return evaluation.valid() ? score_us(evaluation) : std::nullopt;
}

/// The standard error of the logarithm of the score, from the intervals of the sizes.
double error_of(const Evaluation& evaluation) {
  constexpr double kWidth = 2 * 1.96;  // of a 95 % interval, in standard errors
  double squares = 0;
  for (const Measurement& m : evaluation.measurements) {
    if (m.source == TimeSource::estimated || m.low_us <= 0 || m.high_us < m.low_us) continue;
    const double error = std::log(m.high_us / m.low_us) / kWidth;
    squares += error * error;
  }
  const auto sizes = static_cast<double>(std::max<std::size_t>(1, evaluation.measurements.size()));
  return std::sqrt(squares) / sizes;
}

class Session {
 public:
  Session(const Space& space, evaluate::Evaluator& evaluator, const TuningOptions& options,
          const StopSignal& stop)
      : space_(space), evaluator_(evaluator), options_(options), stop_(stop) {}

  Result<Tuning> run() {
    WW_CHECK(explore());
    if (tuning_.given().evaluation.verdict == Verdict::harness_error) {
      return Error{"the judge failed on the file as given: " + tuning_.given().evaluation.reason};
    }
    for (const Tried& tried : tuning_.tried) {
      for (const Measurement& m : tried.evaluation.measurements) {
        tuning_.estimated = tuning_.estimated || m.source == TimeSource::estimated;
      }
    }
    WW_TRY(const std::size_t chosen, finalist());
    WW_CHECK(decide(chosen));
    return std::move(tuning_);
  }

 private:
  /// Of the budget, what the last rounds and the comparison may need.
  [[nodiscard]] std::size_t finalists() const {
    return std::min(kMostFinalists, options_.budget / 8);
  }

  Status explore() {
    if (options_.all) {
      auto points = space_.points();
      const auto given = std::find(points.begin(), points.end(), space_.given());
      std::rotate(points.begin(), given, given + 1);
      constexpr std::size_t kChunk = 64;  // so that somebody sees it go on
      for (std::size_t from = 0; from < points.size(); from += kChunk) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(from);
        const auto last =
            points.begin() + static_cast<std::ptrdiff_t>(std::min(from + kChunk, points.size()));
        WW_CHECK(judge_batch({first, last}));
      }
      return {};
    }
    const std::size_t reserved = 2 * finalists();
    const std::size_t budget = std::max<std::size_t>(1, options_.budget - reserved);
    Tuner tuner(space_, budget, options_.seed);
    for (auto batch = tuner.next(); !batch.empty(); batch = tuner.next()) {
      const std::size_t from = tuning_.tried.size();
      WW_CHECK(judge_batch(batch));
      for (std::size_t i = from; i < tuning_.tried.size(); ++i) {
        const Tried& tried = tuning_.tried[i];
        tuner.tell(tried.point, {time_of(tried.evaluation), error_of(tried.evaluation)});
      }
    }
    return {};
  }

  /// First judgements: all at once, and then in their order into `tried`.
  Status judge_batch(const std::vector<Point>& batch) {
    std::vector<std::optional<Evaluation>> known(batch.size());
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      sources.push_back(space_.filled(batch[i]));
      if (!options_.recall) continue;
      WW_TRY(known[i], options_.recall(sources[i]));
    }
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!known[i]) missing.push_back(i);
    }
    std::vector<std::string> wanted;
    for (const std::size_t i : missing) wanted.push_back(sources[i]);
    WW_TRY(auto evaluations, judge_all(wanted));
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (options_.keep) WW_CHECK(options_.keep(wanted[i], evaluations[i]));
      known[missing[i]] = std::move(evaluations[i]);
    }
    tuning_.evaluations += batch.size() - missing.size();  // paid for before
    for (std::size_t i = 0; i < batch.size(); ++i) {
      tuning_.tried.push_back({batch[i], std::move(*known[i])});
      if (options_.on_tried) options_.on_tried(tuning_.tried.back());
    }
    return {};
  }

  /// `repeat`: how often these were judged before.
  Result<std::vector<Evaluation>> judge_all(const std::vector<std::string>& sources,
                                            int repeat = 0) {
    std::vector<std::optional<Result<Evaluation>>> results(sources.size());
    std::atomic<std::size_t> next{0};
    const std::size_t first = tuning_.evaluations;
    const auto work = [&] {
      for (std::size_t i = next++; i < sources.size(); i = next++) {
        results[i] = evaluator_.evaluate(
            {.id = "tune-" + std::to_string(first + i), .source = sources[i], .repeat = repeat},
            stop_);
      }
    };
    const auto hands = std::min<std::size_t>(
        sources.size(), static_cast<std::size_t>(std::max(1, evaluator_.parallelism())));
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < hands; ++i) threads.emplace_back(work);
    if (!sources.empty()) work();
    for (std::thread& thread : threads) thread.join();
    std::vector<Evaluation> evaluations;
    for (auto& result : results) {
      WW_TRY(auto evaluation, std::move(*result));
      evaluations.push_back(std::move(evaluation));
    }
    tuning_.evaluations += sources.size();
    return evaluations;
  }

  /// Index into `tried` of the one that seems to be the fastest, after successive halving of those
  /// whose intervals do not exclude it. Estimates have no noise: the first look decides.
  Result<std::size_t> finalist() {
    struct Entry {
      std::size_t index;
      double sum;  ///< of logarithms
      int count;
    };
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < tuning_.tried.size(); ++i) {
      if (const auto us = time_of(tuning_.tried[i].evaluation)) {
        entries.push_back({i, std::log(*us), 1});
      }
    }
    if (entries.empty()) return std::size_t{0};
    const auto mean = [](const Entry& e) { return e.sum / e.count; };
    const auto sort = [&] {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const Entry& a, const Entry& b) { return mean(a) < mean(b); });
    };
    sort();
    if (tuning_.estimated || options_.all) return entries[0].index;
    const auto error = [&](const Entry& e) { return error_of(tuning_.tried[e.index].evaluation); };
    const double bar = mean(entries[0]) + 1.96 * error(entries[0]);
    std::erase_if(entries, [&](const Entry& e) { return mean(e) - 1.96 * error(e) > bar; });
    entries.resize(std::min(entries.size(), std::max<std::size_t>(1, finalists())));
    for (int repeat = 1; entries.size() > 1; ++repeat) {
      std::vector<std::string> sources;
      for (const Entry& e : entries) sources.push_back(space_.filled(tuning_.tried[e.index].point));
      WW_TRY(const auto again, judge_all(sources, repeat));
      std::vector<Entry> left;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto us = time_of(again[i]);
        if (!us) continue;  // right once and wrong once is wrong
        left.push_back({entries[i].index, entries[i].sum + std::log(*us), entries[i].count + 1});
      }
      if (left.empty()) return std::size_t{0};
      entries = std::move(left);
      sort();
      entries.resize(std::max<std::size_t>(1, entries.size() / 2));
    }
    return entries[0].index;
  }

  Status decide(std::size_t chosen) {
    const Tried& given = tuning_.given();
    tuning_.best = given;
    if (chosen == 0) return {};
    const Tried& candidate = tuning_.tried[chosen];
    const auto before = time_of(given.evaluation), after = time_of(candidate.evaluation);
    if (!after) return {};
    if (!before) {  // the file as given is not valid, this one is
      take(candidate);
    } else if (tuning_.estimated) {
      if (*after < *before) take(candidate);
    } else {
      ++tuning_.evaluations;
      WW_TRY(Evaluation evaluation, evaluator_.evaluate({.id = "tune-comparison",
                                                         .source = space_.filled(candidate.point),
                                                         .rival = space_.filled(given.point)},
                                                        stop_));
      tuning_.comparison = evaluation.comparison;
      const auto& comparison = tuning_.comparison;
      if (comparison && comparison->failed.empty() && comparison->order == Order::faster) {
        take(candidate);
      }
    }
    return {};
  }

  void take(const Tried& candidate) {
    tuning_.best = candidate;
    tuning_.changed = true;
  }

  const Space& space_;
  evaluate::Evaluator& evaluator_;
  const TuningOptions& options_;
  const StopSignal& stop_;
  Tuning tuning_;
};

}  // namespace

const Tried* Tuning::best_at(const std::string& size) const {
  const Tried* fastest = nullptr;
  double least = 0;
  for (const Tried& one : tried) {
    if (!one.evaluation.valid()) continue;
    for (const Measurement& m : one.evaluation.measurements) {
      if (m.size != size || (fastest != nullptr && call_us(m) >= least)) continue;
      fastest = &one;
      least = call_us(m);
    }
  }
  return fastest;
}

double gain_of(const Tuning& tuning) {
  if (!tuning.changed || !tuning.given().evaluation.valid()) return 1;
  if (tuning.comparison && tuning.comparison->ratio.value > 0) {
    return 1 / tuning.comparison->ratio.value;
  }
  const auto before = score_us(tuning.given().evaluation), after = score_us(tuning.best.evaluation);
  return before && after ? *before / *after : 1;
}

Result<Tuning> tune(const Space& space, evaluate::Evaluator& evaluator,
                    const TuningOptions& options, const StopSignal& stop) {
  return Session(space, evaluator, options, stop).run();
}

}  // namespace warpwright::tune
