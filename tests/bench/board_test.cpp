// SPDX-License-Identifier: Apache-2.0
#include "bench/board.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/kernel_file.h"
#include "suite/load.h"

namespace warpwright::bench {
namespace {

using ::testing::HasSubstr;

class Bench : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.tasks = {suite::load_embedded_task("sigmoid").value(),
                      suite::load_embedded_task("relu").value()};
    options_.pattern.limit_s = 60;
  }

  BenchFolder folder() const { return BenchFolder(directory_.path() / "bench"); }

  void finish(const std::string& name, std::vector<double> times,
              Verdict verdict = Verdict::ok) const {
    for (const BenchJob& job : folder().jobs().value()) {
      if (job.job != name) continue;
      const auto task = folder().job(job).read_request().value().task;
      Evaluation evaluation;
      evaluation.verdict = verdict;
      evaluation.reason = verdict == Verdict::ok ? "" : "wrong <b>";
      evaluation.device = "NVIDIA H200 (CUDA 13.0 driver)";
      for (std::size_t i = 0; i < times.size(); ++i) {
        evaluation.measurements.push_back({.size = task.sizes[i].label,
                                           .median_us = times[i],
                                           .low_us = times[i] * 0.99,
                                           .high_us = times[i] * 1.01,
                                           .samples = 20});
      }
      ASSERT_TRUE(folder().job(job).write_result(evaluation).ok());
    }
  }

  void add_file(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder().path() / name, text).ok());
  }

  TemporaryDirectory directory_ = std::move(TemporaryDirectory::create("ww-bench-")).value();
  PrepareOptions options_;
};

TEST_F(Bench, PreparesBothBaselinesAndGoesOnWhereItWas) {
  ASSERT_TRUE(folder().prepare(options_).ok());
  const auto jobs = folder().jobs().value();
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs[0].job, "sigmoid.b0");
  const auto slow = folder().job(jobs[0]).read_request().value();
  EXPECT_TRUE(slow.is_baseline && slow.timing_only);
  finish("sigmoid.b0", {1, 2, 3, 4, 5});
  finish("sigmoid.b1", {1}, Verdict::harness_error);
  EXPECT_FALSE(folder().to_do(jobs[0]));
  EXPECT_TRUE(folder().to_do(jobs[1])) << "the judge's own failures are tried again";
  EXPECT_TRUE(folder().to_do(jobs[2]));
  ASSERT_TRUE(folder().prepare(options_).ok());
  EXPECT_FALSE(folder().to_do(jobs[0]));
  options_.tasks[0].slow_source += "\n";
  ASSERT_TRUE(folder().prepare(options_).ok());
  EXPECT_TRUE(folder().to_do(jobs[0])) << "another source, another result";
}

TEST_F(Bench, GivenKernelsAreJudgedLikeCandidates) {
  const auto kernels = directory_.path() / "kernels";
  options_.kernels = kernels;
  EXPECT_THAT(folder().prepare(options_).error().message, HasSubstr("not a folder"));
  ASSERT_TRUE(make_directories(kernels / "relu").ok());
  EXPECT_THAT(folder().prepare(options_).error().message, HasSubstr("no TASK.cu"));
  ASSERT_TRUE(write_file(kernels / "sigmoid.cu", "// one").ok());
  ASSERT_TRUE(write_file(kernels / "relu" / "wide four.cu", "// two").ok());
  options_.slow = false;
  options_.validate = true;
  options_.quick = true;
  ASSERT_TRUE(folder().prepare(options_).ok());
  const auto jobs = folder().jobs().value();
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs[3].job, "relu.k.wide_four");
  const auto request = folder().job(jobs[3]).read_request().value();
  EXPECT_FALSE(request.is_baseline || request.timing_only);
  EXPECT_EQ(request.sizes.size(), 2u);
  EXPECT_FALSE(folder().job(jobs[0]).read_request().value().timing_only);
}

TEST_F(Bench, FreeKernelsAreJudgedInTheirLaneAndDoNotCompete) {
  const auto kernels = directory_.path() / "kernels";
  options_.kernels = kernels;
  ASSERT_TRUE(make_directories(kernels / "free").ok());
  ASSERT_TRUE(write_file(kernels / "sigmoid.cu", "// one").ok());
  ASSERT_TRUE(write_file(kernels / "free" / "sigmoid.cu", "// two").ok());
  ASSERT_TRUE(folder().prepare(options_).ok());
  finish("sigmoid.k.sigmoid", {4, 4, 4, 4, 20});
  finish("sigmoid.k.free", {1, 1, 1, 1, 1});
  for (const BenchJob& job : folder().jobs().value()) {
    const auto rules = folder().job(job).read_request().value().rule_set;
    EXPECT_EQ(rules.name(), job.kernel == "k.free" ? "free" : "") << job.job;
  }
  const auto board = read_board(folder()).value();
  EXPECT_EQ(board.rows[0].best_kernel, "k.sigmoid");
  EXPECT_EQ(board.rows[0].of(Runner::kernel)->median_us, 4);
  EXPECT_THAT(board_json(board), HasSubstr("\"apart\": \"free\""));
}

TEST_F(Bench, AKernelFileMustFitItsHead) {
  const auto kernels = directory_.path() / "kernels";
  options_.kernels = kernels;
  KernelOrigin origin{"sigmoid", "strict",     "NVIDIA H200", "2026-11-15",
                      "abc",     "warpwright", "a\nmodel",    "sigmoid-1 r1.c2",
                      {}};
  origin.measurements = {{"s", TimeSource::estimated, 12.345, 12, 13, 9, 0, 0}};
  const std::string text = kernel_file_text(origin, "first\n\nsecond\n");
  EXPECT_THAT(text, HasSubstr("// model: a model\n"));
  EXPECT_THAT(text, HasSubstr("// median us: s 12.35 (estimates)\n"));
  EXPECT_THAT(text, testing::EndsWith("\n\nfirst\n\nsecond\n"));
  const auto read = read_kernel_file(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->source, "first\n\nsecond\n");
  EXPECT_EQ(read->licence, "Apache-2.0");
  EXPECT_EQ(read->origin.model, "a model");
  EXPECT_EQ(read->origin.run, "sigmoid-1 r1.c2");
  ASSERT_EQ(read->origin.measurements.size(), 1U);
  EXPECT_EQ(read->origin.measurements[0].size, "s");
  EXPECT_EQ(read->origin.measurements[0].median_us, 12.35);
  EXPECT_EQ(read->origin.measurements[0].source, TimeSource::estimated);
  EXPECT_FALSE(read_kernel_file("// task: a\n\nx").has_value());
  ASSERT_TRUE(make_directories(kernels).ok());
  ASSERT_TRUE(write_file(kernels / "sigmoid.cu", text).ok());
  ASSERT_TRUE(folder().prepare(options_).ok());
  ASSERT_TRUE(write_file(kernels / "sigmoid.cu", text + "// more\n").ok());
  EXPECT_THAT(folder().prepare(options_).error().message, HasSubstr("sha256 differs"));
  ASSERT_TRUE(write_file(kernels / "relu.cu", text).ok());
  options_.tasks = {options_.tasks[1]};
  EXPECT_THAT(folder().prepare(options_).error().message, HasSubstr("for the task 'sigmoid'"));
}

TEST_F(Bench, SetsTimesSideBySide) {
  ASSERT_TRUE(folder().prepare(options_).ok());
  finish("sigmoid.b0", {8, 8, 8, 8, 80});
  finish("sigmoid.b1", {4, 4, 4, 4, 20});
  finish("relu.b1", {8, 16, 64, 200, 800});
  add_file("ceilings.json", R"({"memory_gb_per_s": 4300, "fp32_tflops": 60, "launch_us": 2})");
  add_file(
      "comparators-x.jsonl",
      R"({"comparator":"cub.transform","task":"sigmoid","size":"16x2^18","median_us":10,"low_us":9,"high_us":11,"samples":9}
{"comparator":"torch.eager","task":"sigmoid","size":"16x2^18","median_us":15,"low_us":15,"high_us":15,"samples":9}
{"comparator":"odd.tf32","task":"sigmoid","size":"16x2^18","median_us":1,"low_us":1,"high_us":1,"samples":9,"apart":"tf32"}
{"comparator":"cut)");
  const auto board = read_board(folder());
  ASSERT_TRUE(board.ok()) << board.error().message;
  ASSERT_EQ(board->rows.size(), 10u);
  const Row& last = board->rows[4];
  EXPECT_EQ(last.size, "16x2^18");
  EXPECT_EQ(last.roof.regime, profile::Regime::l2);
  EXPECT_EQ(last.of(Runner::library)->name, "cub.transform") << "times set apart do not compete";
  EXPECT_NEAR(*share_of_ceiling(*board, last, *last.of(Runner::baseline)), 33554432 / 4300e3 / 20,
              1e-9);
  EXPECT_NEAR(*share_of_ceiling(*board, board->rows[0], *board->rows[0].of(Runner::baseline)), 0.5,
              1e-9);
  EXPECT_EQ(board->missing, std::vector<std::string>{"relu.b0"});
  // 2, 2, 2, 2, 4 over the sizes of the one task that has both.
  ASSERT_FALSE(board->means.empty());
  EXPECT_EQ(board->means[0].tasks, 1);
  EXPECT_NEAR(board->means[0].all, std::pow(2.0, 1.2), 1e-9);
  EXPECT_NEAR(board->means[0].busy, 4.0, 1e-9);
  EXPECT_THAT(board_text(*board), HasSubstr("cub.transform"));
  const auto json = nlohmann::json::parse(board_json(*board));
  EXPECT_EQ(json["rows"].size(), 10u);
  EXPECT_EQ(json["rows"][4]["times"].size(), 5u);
  EXPECT_EQ(json["ceilings"]["source"], "measured");
}

TEST_F(Bench, BadKernelsHaveNoTimes) {
  const auto kernels = directory_.path() / "kernels";
  ASSERT_TRUE(make_directories(kernels / "sigmoid").ok());
  for (const char* name : {"a.cu", "b.cu", "c.cu"}) {
    ASSERT_TRUE(write_file(kernels / "sigmoid" / name, "//").ok());
  }
  options_.kernels = kernels;
  ASSERT_TRUE(folder().prepare(options_).ok());
  finish("sigmoid.b1", {4, 4, 4, 4, 20});
  finish("sigmoid.k.a", {1, 1, 1, 1, 1}, Verdict::mismatch);
  finish("sigmoid.k.b", {3, 3, 3, 3, 10});
  finish("sigmoid.k.c", {2, 2, 2, 2, 90});
  const auto board = read_board(folder()).value();
  EXPECT_EQ(board.rows[0].best_kernel, "k.b");
  EXPECT_EQ(board.rows[0].of(Runner::kernel)->median_us, 3);
  ASSERT_EQ(board.troubles.size(), 1u);
  EXPECT_THAT(board_text(board), HasSubstr("(k.a: mismatch)"));
  EXPECT_THAT(board_text(board), HasSubstr("BAD VERDICTS: 1 of 7 jobs\n  sigmoid.k.a: mismatch"));
}

TEST_F(Bench, ResultsComeBackAsLines) {
  ASSERT_TRUE(folder().prepare(options_).ok());
  const auto more = directory_.path() / "carried";
  ASSERT_TRUE(make_directories(more).ok());
  finish("sigmoid.b1", {4, 4, 4, 4, 20});
  const auto job = folder().jobs().value()[1];
  auto text = read_file(folder().job(job).path() / "result.json").value();
  std::erase(text, '\n');
  std::filesystem::remove(folder().job(job).path() / "result.json");
  EXPECT_EQ(read_board(folder()).value().missing.size(), 4u);
  ASSERT_TRUE(
      write_file(more / "results.jsonl", "{\"job\":\"sigmoid.b1\",\"result\":" + text + "}\n")
          .ok());
  EXPECT_EQ(read_board(folder(), more).value().missing.size(), 3u);
  ASSERT_TRUE(write_file(more / "results.jsonl", "{\"job\":3}\n{}\n").ok());
  EXPECT_THAT(read_board(folder(), more).error().message, HasSubstr("results.jsonl"));
}

TEST_F(Bench, OtherFoldersAreRefused) {
  EXPECT_THAT(read_board(folder()).error().message, HasSubstr("no benchmark folder"));
  ASSERT_TRUE(make_directories(folder().path()).ok());
  add_file("bench.json",
           R"({"format":1,"jobs":[{"job":"../x","task":"t","kernel":"k","kind":"given"}]})");
  EXPECT_THAT(read_board(folder()).error().message, HasSubstr("'job'"));
}

}  // namespace
}  // namespace warpwright::bench
