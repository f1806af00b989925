// SPDX-License-Identifier: Apache-2.0
// The programs of bench/serving with the tasks' own kernels, whole on the SIMT machine: speculative
// decoding over a ragged batch says what greedy decoding says, planted mistakes are seen, and all
// comparators compute the same attention. Where WARPWRIGHT_SLOW_TESTS is set, over 1,000 steps.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/files.h"
#include "flops/exact_run.h"
#include "flops/program.h"
#include "flops/staging.h"
#include "flops/targets.h"
#include "support/places.h"

namespace warpwright::flop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kBudget = 4'000'000'000;

class ServingPrograms : public testing::Test {
 protected:
  void SetUp() override {
    const build::Toolchain tools = build::find_toolchain();
    if (!tools.supports(build::FrontEnd::clang)) GTEST_SKIP() << "there is no clang";
    auto sandbox = sandbox::Sandbox::open();
    ASSERT_TRUE(sandbox.ok()) << sandbox.error().message;
    auto made =
        build::Builder::create(*sandbox, tools, {.cache = build_path("/tests/flops_cache")});
    ASSERT_TRUE(made.ok()) << made.error().message;
    builder_ = std::make_unique<build::Builder>(std::move(*made));
    auto folder = TemporaryDirectory::create("ww-serving-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_ = std::make_unique<TemporaryDirectory>(std::move(*folder));
    ::chmod(folder_->path().c_str(), 0755);
  }

  fs::path below(const char* name) const {
    const fs::path path = folder_->path() / name;
    EXPECT_TRUE(make_directories(path).ok());
    ::chmod(path.c_str(), 0755);
    return path;
  }

  void build(const std::string& name, std::vector<std::string> defines = {},
             const std::string& folder = "/bench/serving") {
    Sources sources;
    sources.cwd = source_path(folder);
    sources.files = {sources.cwd / name};
    sources.includes = {source_path("/tasks")};
    const auto readable = readable_sources(sources, below("sources"));
    ASSERT_TRUE(readable.ok()) << readable.error().message;
    ProgramRequest request;
    request.files = readable->files;
    request.includes = readable->includes;
    request.includes.push_back(readable->cwd);
    request.defines = std::move(defines);
    request.front_end = build::FrontEnd::clang;
    request.target = target_named("h200").value();
    const auto built = build_program(*builder_, request, below("build"));
    ASSERT_TRUE(built.ok()) << built.error().message;
    ASSERT_TRUE(built->ok) << built->reason << "\n" << built->detail;
    program_ = *built;
  }

  ExactRun run(std::vector<std::string> arguments) const {
    ExactRequest request;
    request.checks = simt::Checks::full;
    request.budget = kBudget;
    request.run.arguments = std::move(arguments);
    request.run.time = std::chrono::minutes(10);
    request.run.target = target_named("h200").value();
    request.run.cwd = below("run");
    auto ran = run_exactly(builder_->sandbox(), program_, request);
    EXPECT_TRUE(ran.ok()) << ran.error().message;
    return ran.ok() ? std::move(*ran) : ExactRun{};
  }

  static void expect_right(const ExactRun& ran, const char* word) {
    EXPECT_EQ(ran.exit.exit_code, 0) << ran.exit.out;
    EXPECT_THAT(ran.exit.out, HasSubstr(word));
    EXPECT_THAT(ran.faults, testing::IsEmpty());
    EXPECT_GT(ran.launches, 10U);
    EXPECT_FALSE(ran.over_budget);
  }

 private:
  std::unique_ptr<build::Builder> builder_;
  std::unique_ptr<TemporaryDirectory> folder_;
  BuiltProgram program_;
};

TEST_F(ServingPrograms, SpeculativeDecodingIsGreedyDecoding) {
  build("toy_lm_one.cu");
  const bool slow = std::getenv("WARPWRIGHT_SLOW_TESTS") != nullptr;
  expect_right(run({"4", slow ? "1000" : "80"}), ": equal");
  for (const char* plant : {"1", "2", "3"}) {
    const ExactRun wrong = run({"4", "60", plant});
    EXPECT_EQ(wrong.exit.exit_code, 1) << plant << ": " << wrong.exit.out;
    EXPECT_THAT(wrong.exit.out, HasSubstr(": different"));
  }
}

TEST_F(ServingPrograms, SoItIsInBfloat16) {
  build("toy_lm_one.cu", {"BFLOAT=1"});
  expect_right(run({"4", "40"}), ": equal");
}

TEST_F(ServingPrograms, AllWaysOfAStepComputeTheSame) {
  build("ems_one.cu");
  expect_right(run({"--check", "--samples", "4", "--context", "560", "--drafts", "5", "--heads",
                    "2", "--vocabulary", "50"}),
               ": right");
  expect_right(run({"--check", "--samples", "3", "--context", "90", "--drafts", "8", "--heads", "1",
                    "--vocabulary", "50", "--seed", "3"}),
               ": right");
}

TEST_F(ServingPrograms, AnAssertionOnTheDeviceIsHeardOfByEveryCallBehindIt) {
  build("assertion.cu", {}, "/tests/flops/exact");
  const ExactRun ran = run({});
  EXPECT_EQ(ran.exit.exit_code, 0) << ran.exit.out;
  EXPECT_EQ(ran.exit.out, "device-side assert triggered\n");
  EXPECT_THAT(ran.kinds, testing::ElementsAre(simt::FaultKind::assertion));
}

TEST_F(ServingPrograms, SpansAndTheWholeCacheAreAttendedTo) {
  build("spans_one.cu");
  expect_right(run({"--check", "--samples", "2", "--context", "128", "--heads", "2"}), ": right");
}

}  // namespace
}  // namespace warpwright::flop
