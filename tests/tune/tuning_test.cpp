// SPDX-License-Identifier: Apache-2.0
#include "tune/tuning.h"

#include <cmath>
#include <cstdlib>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "base/mix.h"
#include "tune/tuner.h"

namespace warpwright::tune {
namespace {

constexpr const char* kSource =
    "#define A 1  // tune: A = 1, 2, 4, 8, 16, 32, 64, 128\n"
    "#define B 1  // tune: B = 1..12\n"
    "#define C 0  // tune: C = 0, 1\n"
    "// tune: require A * B <= 512\n";

double value_in(const std::string& source, const std::string& name) {
  return std::atof(source.c_str() + source.find("#define " + name) + 9 + name.size());
}

/// A smooth bowl around A=16, B=7, C=1, by the values in the source.
double true_us(const std::string& source) {
  const double a = std::log2(value_in(source, "A")) - 4;
  const double b = value_in(source, "B") - 7;
  return 10 * (1 + 0.1 * a * a + 0.02 * b * b + (value_in(source, "C") > 0 ? 0 : 0.05));
}

/// Judges by true_us, with noise that depends on how often it was asked.
class BowlJudge final : public evaluate::Evaluator {
 public:
  explicit BowlJudge(double noise) : noise_(noise) {}
  [[nodiscard]] std::string device() const override { return "bowl"; }
  [[nodiscard]] int parallelism() const override { return 3; }
  [[nodiscard]] double max_device_s() const override { return 1; }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal&) override {
    const std::scoped_lock lock(mutex_);
    ++count;
    ids.insert(request.id);
    // A judge that keeps verdicts would not judge the second one.
    EXPECT_TRUE(request.rival || asked.emplace(request.source, request.repeat).second);
    Evaluation evaluation;
    evaluation.device = "bowl";
    if (value_in(request.source, "A") == wrong_a) {
      evaluation.verdict = Verdict::mismatch;
      return evaluation;
    }
    evaluation.verdict = Verdict::ok;
    const double us = true_us(request.source) * (1 + noise_ * drawn());
    const auto source = noise_ > 0 ? TimeSource::measured : TimeSource::estimated;
    evaluation.measurements = {{"s", source, us, us * (1 - noise_), us * (1 + noise_), 10, 1, 0}};
    if (request.rival) {
      const double ratio = true_us(request.source) / true_us(*request.rival);
      const Order order = ratio < 1 && !never_faster ? Order::faster : Order::same;
      evaluation.comparison = Comparison{"", order, {ratio, ratio, ratio}, {}};
    }
    return evaluation;
  }

  std::size_t count = 0;
  double wrong_a = -1;
  bool never_faster = false;
  std::set<std::string> ids;
  std::set<std::pair<std::string, int>> asked;

 private:
  double drawn() { return static_cast<double>(mixed_bits(kMixStep * count) >> 11) * 0x1p-52 - 1; }
  double noise_;
  std::mutex mutex_;
};

Space bowl() { return Space::parse(kSource).value(); }

TEST(Tuning, FindsTheBottomOfABowl) {
  BowlJudge judge(0);
  const Space space = bowl();
  const auto tuning = tune(space, judge, {.budget = 40}, StopSignal());
  ASSERT_TRUE(tuning.ok());
  EXPECT_EQ(space.text_of(tuning->best.point), "A=16 B=7 C=1");
  EXPECT_TRUE(tuning->changed);
  EXPECT_TRUE(tuning->estimated);
  EXPECT_LE(tuning->evaluations, 40u);
  EXPECT_EQ(tuning->evaluations, judge.count);
  EXPECT_EQ(tuning->given().point, space.given());
}

TEST(Tuning, NoisyTimesAreHalvedAndCompared) {
  BowlJudge judge(0.01);
  const Space space = bowl();
  const auto tuning = tune(space, judge, {.budget = 60}, StopSignal());
  ASSERT_TRUE(tuning.ok());
  EXPECT_TRUE(tuning->changed);
  ASSERT_TRUE(tuning->comparison.has_value());
  EXPECT_LE(tuning->evaluations, 60u);
  EXPECT_EQ(tuning->evaluations, judge.count);
  EXPECT_LE(true_us(space.filled(tuning->best.point)), 10 * 1.03);
}

TEST(Tuning, KeepsTheFileWhereNothingIsShownToBeFaster) {
  BowlJudge judge(0.01);
  judge.never_faster = true;
  const Space space = bowl();
  const auto tuning = tune(space, judge, {.budget = 40}, StopSignal());
  ASSERT_TRUE(tuning.ok());
  EXPECT_FALSE(tuning->changed);
  EXPECT_EQ(tuning->best.point, space.given());
}

TEST(Tuning, WrongConfigurationsAreNeverChosen) {
  BowlJudge judge(0);
  judge.wrong_a = 16;
  const Space space = bowl();
  const auto tuning = tune(space, judge, {.budget = 60}, StopSignal());
  ASSERT_TRUE(tuning.ok());
  EXPECT_TRUE(tuning->best.evaluation.valid());
  EXPECT_NE(value_in(space.filled(tuning->best.point), "A"), 16);
  // Also where the file as given is the wrong one.
  BowlJudge other(0.01);
  other.wrong_a = 1;
  const auto again = tune(space, other, {.budget = 30}, StopSignal());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->best.evaluation.valid());
}

TEST(Tuning, AllJudgesEveryConfigurationOnce) {
  BowlJudge judge(0);
  const Space space = bowl();
  const auto tuning = tune(space, judge, {.budget = 1, .all = true}, StopSignal());
  ASSERT_TRUE(tuning.ok());
  EXPECT_EQ(tuning->tried.size(), space.points().size());
  EXPECT_EQ(judge.ids.size(), space.points().size());
  EXPECT_EQ(space.text_of(tuning->best.point), "A=16 B=7 C=1");
}

TEST(Tuning, RemembersAndRepeats) {
  const Space space = bowl();
  std::map<std::string, Evaluation> memory;
  TuningOptions options{.budget = 30};
  options.recall = [&](const std::string& source) -> Result<std::optional<Evaluation>> {
    const auto found = memory.find(source);
    if (found == memory.end()) return std::optional<Evaluation>();
    return std::optional(found->second);
  };
  options.keep = [&](const std::string& source, const Evaluation& evaluation) -> Status {
    memory[source] = evaluation;
    return {};
  };
  BowlJudge first(0), second(0);
  const auto before = tune(space, first, options, StopSignal());
  const auto after = tune(space, second, options, StopSignal());
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(second.count, 0u);
  EXPECT_EQ(before->best.point, after->best.point);
  EXPECT_EQ(before->tried.size(), after->tried.size());
}

TEST(Tuner, NeverAsksTwiceAndKeepsToTheBudget) {
  const Space space = bowl();
  for (const std::size_t budget : {1u, 5u, 50u, 100000u}) {
    Tuner tuner(space, budget, 7);
    std::set<Point> seen;
    for (auto batch = tuner.next(); !batch.empty(); batch = tuner.next()) {
      for (const Point& point : batch) {
        EXPECT_TRUE(seen.insert(point).second);
        EXPECT_TRUE(space.allows(point));
        tuner.tell(point, {std::nullopt, 0});
      }
    }
    EXPECT_EQ(seen.size(), std::min(budget, space.points().size()));
    EXPECT_FALSE(tuner.best().has_value());
  }
}

}  // namespace
}  // namespace warpwright::tune
