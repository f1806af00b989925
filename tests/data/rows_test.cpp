// SPDX-License-Identifier: Apache-2.0
#include "data/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/check.h"
#include "data/export.h"
#include "data/made_archive.h"

namespace warpwright::data {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class Rows : public testing::Test {
 protected:
  Rows() : judging_(made_.judging()) {
    made_.add_run("transpose", {{"k1.t1", made_answer("mismatch", "a1"), "I think."},
                                {"k1.t2", made_answer("ok 50", "a2"), "", "k1.t1"},
                                {"k1.t3", made_answer("ok 20", "a3"), "Shorter.", "k1.t2"},
                                {"k2.t1", made_answer("ok 49.5", "a4")},
                                {"k2.t2", "nothing", "", "k2.t1"}});
    made_.add_run("reduce", {{"k1.t1", made_answer("compile_error", "b5")}});
  }

  template <class Export>
  std::vector<Json> exported(Export work) {
    Catalogue catalogue = made_.catalogue();
    auto out = std::move(RowWriter::create(file())).value();
    EXPECT_TRUE(work(catalogue, out).ok());
    EXPECT_TRUE(out.finish().ok());
    return rows_of(file());
  }
  std::vector<Json> grpo() {
    return exported([&](Catalogue& c, RowWriter& out) {
      return export_grpo(c, {}, nullptr, provenance_, out);
    });
  }
  [[nodiscard]] std::string file() const { return (made_.folder() / "rows.jsonl").string(); }
  CheckReport checked(const std::vector<Json>& rows, bool judge = true) {
    std::string text;
    for (const Json& row : rows) text += sealed(row) + "\n";
    EXPECT_TRUE(write_file(file(), text).ok());
    const auto find = MadeArchive::find_task();
    const auto report = check_file(file(), {}, find, judge ? &judging_ : nullptr);
    EXPECT_TRUE(report.ok());
    return report.ok() ? *report : CheckReport{};
  }
  static std::string first(const CheckReport& report) {
    return report.problems.empty() ? "" : report.problems.front().what;
  }

  MadeArchive made_;
  Judging judging_;
  Provenance provenance_{"0.2.0", "abc", "Apache-2.0"};
};

TEST_F(Rows, ChatsKeepReasoningApart) {
  const auto rows = exported(
      [&](Catalogue& c, RowWriter& out) { return export_sft(c, nullptr, provenance_, out); });
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1]["messages"][0]["role"], "system");
  EXPECT_EQ(rows[1]["messages"][2]["role"], "assistant");
  EXPECT_EQ(rows[1]["messages"][2]["reasoning_content"], "Shorter.");
  EXPECT_FALSE(rows[0]["messages"][2].contains("reasoning_content"));
  for (const Json& row : rows) {
    for (const char* key : {"task", "task_sha256", "device", "versions", "commit", "seeds", "times",
                            "licence", "sha256", "row_sha256", "type", "origin", "verdict"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_LT(row["times"][0]["low_us"], row["times"][0]["high_us"]);
  }
  const auto report = checked(rows);
  EXPECT_EQ(report.problem_count, 0U) << first(report);
  EXPECT_EQ(report.judged, 3U);
  EXPECT_EQ(report.agreed, 3U);
}

TEST_F(Rows, PairsAreOutsideTheNoise) {
  const auto rows = exported([&](Catalogue& c, RowWriter& out) {
    return export_preferences(c, {.margin = 0.05, .per_prompt = 16}, nullptr, provenance_, out);
  });
  std::size_t faster = 0, right = 0;
  for (const Json& row : rows) {
    faster += row["reason"] == "faster" ? 1 : 0;
    right += row["reason"] == "right" ? 1 : 0;
    EXPECT_NE(row["chosen"], row["rejected"]);
    if (row["reason"] == "faster") {
      EXPECT_GE(row["margin"].get<double>(), 0.05);
    }
  }
  EXPECT_EQ(faster, 2U);  // 20 before 50 and before 49.5; these two overlap
  EXPECT_EQ(right, 6U);   // three right ones, two wrong ones
  const auto report = checked(rows);
  EXPECT_EQ(report.problem_count, 0U) << first(report);
}

TEST_F(Rows, TurnsHaveReturnsAndAdvantages) {
  const auto rows = grpo();
  ASSERT_EQ(rows.size(), 6U);
  // Baseline 100 us: S is 0, 2.3, 5.3, 0.3 + 100 / 49.5, 0.
  const double s2 = 2.3, s3 = 5.3, s4 = 0.3 + 100 / 49.5;
  const std::vector<double> returns = {0.4 * (s2 + 0.4 * s3), s2 + 0.4 * s3, s3, s4, 0};
  const auto expected = advantages(returns);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(rows[i]["return"].get<double>(), returns[i], 1e-12);
    EXPECT_NEAR(rows[i]["advantage"].get<double>(), expected[i], 1e-12);
    EXPECT_NEAR(rows[i]["group_mean"].get<double>(), group_of(returns).mean, 1e-12);
  }
  EXPECT_EQ(rows[2]["turn"], 3);
  EXPECT_EQ(rows[5]["advantage"], 0);
  const auto report = checked(rows);
  EXPECT_EQ(report.problem_count, 0U) << first(report);
}

TEST_F(Rows, WhatNobodyAnsweredIsNoRow) {
  const auto answer = [](const char* name, const char* text, const char* origin) {
    return MadeAnswer{name, made_answer("ok 10", text), "", "k1.t3", true, origin};
  };
  made_.add_run("transpose",
                {answer("given", "c1", "given"), answer("k1.t1", "c2", "tell"),
                 answer("k1.t1.tune", "c3", "tune"), answer("k1.t1.merge", "c4", "merge")});
  EXPECT_EQ(made_.catalogue().cards.size(), 7U);  // six, and the one that was told
}

TEST_F(Rows, AMislabelledRowIsFound) {
  auto rows = grpo();
  // The wrong answer's code under the right answer's label, sealed as if nothing had happened.
  auto planted = rows;
  planted[1]["completion"] = rows[0]["completion"];
  planted[1]["sha256"] = rows[0]["sha256"];
  EXPECT_THAT(first(checked({planted[1]})), HasSubstr("mislabelled"));
  planted = rows;
  planted[0]["verdict"] = "ok";
  planted[0]["times"] = rows[1]["times"];
  planted[0]["speedup"] = rows[1]["speedup"];
  planted[0]["S"] = rows[1]["S"];
  EXPECT_THAT(first(checked({planted[0]})), HasSubstr("mislabelled"));
  planted = rows;
  planted[1]["times"][0]["baseline_us"] = 1000;
  planted[1]["speedup"] = 20;
  planted[1]["S"] = 20.3;
  EXPECT_GT(checked(planted).problem_count, 0U);  // the return follows from it no more
  planted = rows;
  for (const char* key : {"median_us", "low_us", "high_us"}) {
    planted[1]["times"][0][key] = rows[1]["times"][0][key].get<double>() / 2;
  }
  planted[1]["speedup"] = 4;
  planted[1]["S"] = 4.3;
  EXPECT_THAT(first(checked({planted[1]})), HasSubstr("on the same device"));
}

TEST_F(Rows, ChangesAndContradictionsAreFoundWithoutAJudge) {
  const auto rows = grpo();
  const auto with = [&](const char* key, const Json& value) {
    auto changed = rows;
    changed[1][key] = value;
    return first(checked(changed, false));
  };
  EXPECT_EQ(first(checked(rows, false)), "");
  EXPECT_THAT(with("S", 9.0), HasSubstr("S is not"));
  EXPECT_THAT(with("advantage", 9.0), HasSubstr("advantage"));
  EXPECT_THAT(with("licence", ""), HasSubstr("licence"));
  EXPECT_THAT(with("verdict", "fine"), HasSubstr("verdict"));
  EXPECT_THAT(with("sha256", std::string(64, '0')), HasSubstr("sha256"));
  EXPECT_THAT(with("kind", "rows"), HasSubstr("kind"));
  auto twice = rows;
  twice.push_back(rows[1]);
  twice.back()["verdict"] = "race";
  EXPECT_THAT(checked({rows[1], twice.back()}, false).problems.back().what,
              HasSubstr("equal program"));
  Json unsealed = rows[1];
  unsealed["model"] = "another";
  EXPECT_THAT(row_problems(unsealed.dump()).at(0), HasSubstr("row_sha256"));
  EXPECT_FALSE(row_problems("{}").empty());
  EXPECT_FALSE(row_problems("\xff").empty());
}

TEST_F(Rows, AFileIsCompleteOrAbsent) {
  {
    auto out = std::move(RowWriter::create(file())).value();
    EXPECT_TRUE(out.write({{"a", 1}}).ok());
  }
  EXPECT_FALSE(path_exists(file()).value());
  EXPECT_FALSE(path_exists(file() + ".part").value());
}

TEST(Recording, ParentsAreWhoseCodeThePromptShows) {
  auto folder = std::move(TemporaryDirectory::create("ww-rec-")).value();
  const auto path = folder.path() / "reverse";
  const std::string code = made_answer("ok 10", "a1");
  const std::string source = prompt::extract_source(code, "stop").source;
  ASSERT_TRUE(make_directories(path / "prompts").ok());
  ASSERT_TRUE(
      write_file(path / "prompts/1.md", "### system\nBe brief.\n\n### user\nWrite.\n").ok());
  ASSERT_TRUE(write_file(path / "prompts/2.md", "### user\nImprove:\n" + source + "\nNow.\n").ok());
  ASSERT_TRUE(write_file(path / "flags", "-n 3 --lane free\n").ok());
  std::string lines;
  lines += Json{{"id", "r1.c1"}, {"text", code}, {"prompt", "prompts/1.md"}}.dump() + "\n";
  lines += Json{{"id", "r1.c1.fix1"}, {"text", "none"}, {"reasoning", "hm"}}.dump() + "\n";
  lines += Json{{"id", "x"}, {"error", "timeout"}}.dump() + "\n";
  lines += Json{{"id", "r2.c1"}, {"text", code}, {"prompt", "prompts/2.md"}}.dump() + "\n";
  lines += Json{{"id", "r2.c2"}, {"text", code}, {"prompt", "../../etc/passwd"}}.dump() + "\n";
  ASSERT_TRUE(write_file(path / "conversation.jsonl", lines).ok());
  const SystemClock clock;
  auto sources = open_sources({folder.path().string()}, clock, MadeArchive::find_task());
  ASSERT_TRUE(sources.ok());
  ASSERT_EQ(sources->size(), 1U);
  Source& source_of = *sources->front();
  const Sample first = source_of.fetch({0, "r1.c1"}).value();
  EXPECT_EQ(first.rule_set, "free");
  EXPECT_EQ(first.task->name, "reverse");
  ASSERT_EQ(first.messages.size(), 2U);
  EXPECT_EQ(first.messages[0].text, "Be brief.\n");
  EXPECT_EQ(source_of.fetch({0, "r1.c1.fix1"}).value().parent, "r1.c1");
  EXPECT_EQ(source_of.fetch({0, "r2.c1"}).value().parent, "r1.c1");
  EXPECT_TRUE(source_of.fetch({0, "r2.c2"}).value().messages.empty());
  EXPECT_FALSE(source_of.fetch({0, "x"}).ok());
}

}  // namespace
}  // namespace warpwright::data
