// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "data/curate.h"
#include "data/export.h"
#include "data/made_archive.h"
#include "data/rows.h"
#include "data/stats.h"

namespace warpwright::data {
namespace {

constexpr const char* kKernel = R"(
// adds
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(Sketch, NamesCommentsAndBlanksDoNotCount) {
  std::string other = replaced(kKernel, "add<<<", "sum<<<");
  other = replaced(replaced(other, "void add(", "void sum("), "// adds", "/* another */");
  other = replaced(other, "  ", "\t\t");
  EXPECT_EQ(normalised_tokens(kKernel), normalised_tokens(other));
  EXPECT_EQ(likeness(sketch_of(kKernel), sketch_of(other)), 1);
}

TEST(Sketch, ASmallEditIsNearAndAnotherProgramIsFar) {
  const std::string longer = std::string(kKernel) + replaced(kKernel, "add", "more");
  const auto near = sketch_of(replaced(longer, "256", "128"));
  EXPECT_GE(likeness(sketch_of(longer), near), 0.6);
  EXPECT_LT(likeness(sketch_of(kKernel), sketch_of("int main() { return 3 * 4 - 5; }")), 0.2);
  EXPECT_EQ(sketch_of(""), sketch_of(" // nothing"));
}

TEST(Sketch, AnyBytesAreTokens) {
  for (const char* text :
       {"\"", "'\\", "/*", "//", "\\", "\xff\xfe\x01", "0x1.8p3f", "R\"(\")\""}) {
    static_cast<void>(sketch_of(text));
  }
}

TEST(TaskType, NamesFirstThenTitles) {
  EXPECT_EQ(task_type("mha", "Multi-head attention"), "attention");
  EXPECT_EQ(task_type("gemm_f16", ""), "matmul");
  EXPECT_EQ(task_type("mine", "Softmax over rows"), "normalisation");
  EXPECT_EQ(task_type("mine", "Something else"), "other");
}

TEST(Stats, RankCorrelation) {
  const std::vector<double> a = {1, 2, 3, 4, 5}, b = {5, 6, 7, 8, 7};
  // Ranks 1 2 3 4 5 and 1 2 3.5 5 3.5: 8 / sqrt(10 * 9.5).
  EXPECT_NEAR(*rank_correlation(a, b), 8 / std::sqrt(95.0), 1e-12);
  EXPECT_NEAR(*rank_correlation(a, a), 1, 1e-12);
  const std::vector<double> flat = {1, 1, 1, 1, 1};
  EXPECT_FALSE(rank_correlation(a, flat));
}

TEST(Returns, AChainIsTheDiscountedSum) {
  const std::vector<double> scores = {1.3, 0.0, 1.7};
  const std::vector<std::int32_t> chain = {-1, 0, 1};
  const auto expected = discounted_returns(scores, 0.4);
  for (const auto branch : {Branch::mean, Branch::best}) {
    const auto returns = tree_returns(scores, chain, 0.4, branch);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(returns[i], expected[i], 1e-12);
  }
}

// 0 is refined by 1 and 2, 2 by 3. R3 = 2, R2 = 1 + 0.5 * 2, R1 = 0.5.
TEST(Returns, ABranchIsTheMeanOrTheBest) {
  const std::vector<double> scores = {1, 0.5, 1, 2};
  const std::vector<std::int32_t> parents = {-1, 0, 0, 2};
  EXPECT_NEAR(tree_returns(scores, parents, 0.5, Branch::mean)[0], 1 + 0.5 * 1.25, 1e-12);
  EXPECT_NEAR(tree_returns(scores, parents, 0.5, Branch::best)[0], 1 + 0.5 * 2, 1e-12);
}

Card card_of(std::uint32_t task, double speedup, float tokens, const std::string& source) {
  Card card;
  card.task = task;
  card.verdict = Verdict::ok;
  card.speedup = speedup;
  card.tokens = tokens;
  card.is_reasoning = true;
  card.sketch = sketch_of(source);
  return card;
}

std::vector<std::uint32_t> chosen(const Catalogue& catalogue, const CurateOptions& options) {
  std::vector<std::uint32_t> numbers;
  const std::vector<std::uint8_t> none(catalogue.cards.size(), 0);
  for (const Kept& kept : select(catalogue, options, none)) numbers.push_back(kept.card);
  return numbers;
}

TEST(Select, ScoreWeighsSpeedAndLength) {
  Catalogue catalogue;
  catalogue.tasks = {{"a", "x"}};
  catalogue.cards = {card_of(0, 2.0, 100, "one(1);"), card_of(0, 2.1, 10000, "two + 2;"),
                     card_of(0, 1.0, 90, "three { 3 }")};
  EXPECT_EQ(chosen(catalogue, {.concise = 0}), std::vector<std::uint32_t>{0});
  EXPECT_EQ(chosen(catalogue, {.lambda = 0, .concise = 0}), std::vector<std::uint32_t>{1});
  EXPECT_EQ(chosen(catalogue, {.lambda = 0, .min_speedup = 5}), std::vector<std::uint32_t>{});
}

TEST(Select, TheFrontHasNoDominatedAndNoNearDuplicates) {
  Catalogue catalogue;
  catalogue.tasks = {{"a", "x"}};
  catalogue.cards = {card_of(0, 3, 300, "one(1);"), card_of(0, 2, 200, "two + 2;"),
                     card_of(0, 1.9, 250, "three { 3 }"), card_of(0, 1, 100, "two + 2;")};
  auto kept = chosen(catalogue, {.front = true, .lambda = 0, .concise = 0});
  EXPECT_EQ(kept, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Select, TypesHaveACap) {
  Catalogue catalogue;
  catalogue.tasks = {{"a", "x"}, {"b", "x"}, {"c", "y"}};
  for (std::uint32_t task = 0; task < 3; ++task) {
    catalogue.cards.push_back(card_of(task, 2, 100, "f" + std::to_string(task) + "();"));
  }
  EXPECT_EQ(chosen(catalogue, {.per_type = 1, .concise = 0}), (std::vector<std::uint32_t>{0, 2}));
  catalogue.cards[0].verdict = Verdict::mismatch;
  EXPECT_EQ(chosen(catalogue, {.per_type = 1, .concise = 0}), (std::vector<std::uint32_t>{1, 2}));
}

// 26 tasks with 20 answers each: right and wrong ones, copies, long and short reasoning.
TEST(Curate, FiveHundredAnswersOfTwentySixTasks) {
  MadeArchive made;
  auto names = suite::embedded_task_names();
  names.resize(26);
  std::uint64_t draw = 1;
  const auto next = [&](std::uint64_t bound) {
    draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
    return (draw >> 33) % bound;
  };
  for (std::size_t t = 0; t < names.size(); ++t) {
    std::vector<MadeAnswer> answers;
    for (int i = 0; i < 20; ++i) {
      const std::string salt = "t" + std::to_string(t) + "000" + std::to_string(i % 15);
      const std::string says = next(3) == 0 ? "mismatch" : "ok " + std::to_string(20 + next(80));
      std::string reasoning;
      const std::uint64_t words = 20 + next(400);
      for (std::uint64_t w = 0; w < words; ++w) reasoning += "word ";
      answers.push_back({"r1.c" + std::to_string(i), made_answer(says, salt), reasoning});
    }
    made.add_run(names[t], answers);
  }
  const Judging judging = made.judging();
  Catalogue catalogue = made.catalogue(&judging);
  ASSERT_EQ(catalogue.cards.size(), 520U);
  EXPECT_EQ(made.judged, 0);  // all verdicts were stored
  const auto curated = curate(catalogue, {.front = true}, judging, RewardRule{});
  ASSERT_TRUE(curated.ok());
  EXPECT_GE(curated->kept.size(), 20U);
  EXPECT_LE(curated->kept_median, 0.5 * curated->pool_median);
  std::map<std::uint32_t, std::vector<Sketch>> of_tasks;
  for (const Kept& kept : curated->kept) {
    const Card& card = catalogue.cards[kept.card];
    const auto judged = fetch(catalogue, card, &judging);
    ASSERT_TRUE(judged.ok());
    EXPECT_TRUE(judged->judged_now && judged->evaluation->valid());
    for (const Sketch& other : of_tasks[card.task]) EXPECT_LT(likeness(other, card.sketch), 0.8);
    of_tasks[card.task].push_back(card.sketch);
  }
  EXPECT_EQ(static_cast<std::size_t>(made.judged.load()), curated->kept.size());
}

TEST(Curate, AStoredVerdictIsNotBelieved) {
  MadeArchive made;
  made.add_run("transpose",
               {{"r1.c1", made_answer("ok 10", "a1")}, {"r1.c2", made_answer("ok 50", "b2")}});
  Judging judging = made.judging();
  judging.judge = [](const JudgeWish& wish, const StopSignal&) -> Result<Evaluation> {
    Evaluation evaluation = made_verdict(wish.source);
    if (wish.source.find("a1") != std::string::npos) evaluation.verdict = Verdict::cheat;
    return evaluation;
  };
  Catalogue catalogue = made.catalogue(&judging);
  const auto curated = curate(catalogue, {}, judging, RewardRule{});
  ASSERT_TRUE(curated.ok());
  EXPECT_EQ(curated->refuted, 1U);
  ASSERT_EQ(curated->kept.size(), 1U);
  EXPECT_EQ(catalogue.cards[curated->kept[0].card].place.trial, "r1.c2");
}

TEST(Curate, OnlyWhatHasNoVerdictIsJudgedAndOnlyOnce) {
  MadeArchive made;
  made.add_run("transpose", {{"r1.c1", made_answer("ok 10", "a1"), "", "", false},
                             {"r1.c2", made_answer("ok 10", "a1"), "", "", false},
                             {"r1.c3", made_answer("mismatch", "b2")},
                             {"r1.c4", "no code at all"}});
  const Judging judging = made.judging();
  const auto unjudged = stats_of(made.catalogue());
  EXPECT_EQ(unjudged.unjudged, 2U);
  const auto stats = stats_of(made.catalogue(&judging));
  EXPECT_EQ(made.judged, 1);
  EXPECT_EQ(stats.unjudged, 0U);
  EXPECT_EQ(stats.ok, 2U);
  EXPECT_EQ(stats.tasks.at(0).verdicts.at("no_code"), 1U);
  EXPECT_EQ(stats.tasks.at(0).verdicts.at("mismatch"), 1U);
  static_cast<void>(stats_of(made.catalogue(&judging)));
  EXPECT_EQ(made.judged, 1);
}

TEST(Catalogue, SourcesDoNotWaitForEachOther) {
  MadeArchive first, second;
  first.add_run("transpose", {{"r1.c1", made_answer("ok 10", "a1"), "", "", false}});
  second.add_run("copy", {{"r1.c1", made_answer("ok 20", "b2"), "", "", false}});
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  bool together = true;
  Judging judging = first.judging();
  judging.judge = [&](const JudgeWish& wish, const StopSignal&) -> Result<Evaluation> {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    together =
        changed.wait_for(lock, std::chrono::seconds(20), [&] { return begun == 2; }) && together;
    return made_verdict(wish.source);
  };
  const SystemClock clock;
  auto sources = open_sources({first.path().string(), second.path().string()}, clock,
                              MadeArchive::find_task());
  ASSERT_TRUE(sources.ok());
  const auto made = make_catalogue(std::move(sources).value(), {RewardRule{}, &judging});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(together);
  EXPECT_EQ(stats_of(*made).ok, 2U);
}

}  // namespace
}  // namespace warpwright::data
