// SPDX-License-Identifier: Apache-2.0
// `warpwright simt` and `warpwright explain`, as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/program.h"
#include "support/places.h"
#include "support/share.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kSaxpy = source_path("/tests/ptx/simt_saxpy.ptx");

TEST(SimtVerb, RunsAFileAndPrintsBuffers) {
  Program program;
  const auto exit = program.run({"simt", kSaxpy, "--grid", "2", "--block", "32", "--arg", "f32:2",
                                 "--arg", "buf:f32:40:iota", "--arg", "y=buf:f32:40:fill,1",
                                 "--arg", "u32:40", "--print", "y:3", "--dump", "y=y.bin"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out, AllOf(HasSubstr("y[0..2] = 1 3 5\n"), HasSubstr("0 reports")));
  EXPECT_EQ(std::filesystem::file_size(program.folder() / "y.bin"), 160U);
}

TEST(SimtVerb, ReportsGiveOneAndUsageGivesTwo) {
  Program program;
  const auto bad =
      program.run({"simt", kSaxpy, "--block", "32", "--arg", "f32:2", "--arg", "x=buf:f32:30:iota",
                   "--arg", "y=buf:f32:32", "--arg", "u32:32", "--json"});
  EXPECT_EQ(bad.exit_code, 1) << bad.err;
  const auto told = nlohmann::json::parse(bad.out);
  EXPECT_EQ(told["launch"]["faults"][0]["kind"], "out_of_bounds");
  EXPECT_EQ(told["launch"]["faults"][0]["object"], "x");
  EXPECT_EQ(told["launch"]["faults"][0]["offset"], 120);
  const auto usage = program.run({"simt", kSaxpy, "--arg", "f32:2"});
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_THAT(usage.err, HasSubstr("takes 4 arguments, 1 were given"));
  EXPECT_EQ(program.run({"simt", "/no/such.ptx"}).exit_code, 2);
  const auto list = program.run({"simt", kSaxpy, "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("saxpy(4 bytes, 8 bytes, 8 bytes, 4 bytes)"));
}

TEST(SimtVerb, AListNamesKernelsThatCannotRun) {
  Program program;
  program.write("two.ptx",
                ".version 8.3\n.target sm_90\n.address_size 64\n.entry good()\n{\n  ret;\n}\n"
                ".entry bad()\n{\n  .reg .b64 %rd<2>;\n  tensormap.cp_fenceproxy.x [%rd1];\n"
                "  ret;\n}\n");
  const auto list = program.run({"simt", "two.ptx", "--list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("good(): 1 instructions"));
  EXPECT_THAT(list.out, HasSubstr("bad: cannot run: PTX line 11"));
  const auto listed = program.run({"simt", "two.ptx", "--list", "--json"});
  const auto told = nlohmann::json::parse(listed.out);
  EXPECT_EQ(told["kernels"].size(), 1U);
  EXPECT_EQ(told["refused"][0]["name"], "bad");
}

// Columns are read with a stride, the tile has bank conflicts, and there is no barrier.
constexpr std::string_view kTranspose = R"(#include <cuda_runtime.h>
__global__ void turn(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  WW_BARRIER
  int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  if (tx < rows && ty < cols) out[ty * rows + tx] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void solve(const float* in, float* out, int rows, int cols) {
  dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  turn<<<grid, dim3(32, 32)>>>(in, out, rows, cols);
}
)";

std::string transpose(std::string_view barrier) {
  std::string text(kTranspose);
  return text.replace(text.find("WW_BARRIER"), 10, barrier);
}

TEST(ExplainVerb, ShowsCountersBesideTheSource) {
  Program program;
  program.write("mine.cu", transpose("__syncthreads();"));
  const auto exit = program.run({"explain", "transpose", "mine.cu"});
  if (exit.err.find("sandbox") != std::string::npos) GTEST_SKIP() << exit.err;
  ASSERT_EQ(exit.exit_code, 0) << exit.err << exit.out;
  EXPECT_THAT(exit.out, AllOf(HasSubstr("none (all blocks, all checks)"),
                              HasSubstr("bank_conflict at line 8"), HasSubstr("ld.shared x32.0"),
                              HasSubstr("limited by threads"), HasSubstr("an estimate, not"),
                              Not(HasSubstr("\033["))));
}

TEST(ExplainVerb, SaysTheSameWithBothEngines) {
  if (!whole_suites())
    GTEST_SKIP() << "takes half a minute under the sanitizers; WARPWRIGHT_SLOW_TESTS=1 runs it";
  Program program;
  program.write("mine.cu", transpose(""));
  const std::vector<std::string> words = {"explain", "transpose", "mine.cu",
                                          "--size",  "1024^2",    "--engine"};
  std::string out[2];
  for (std::size_t k = 0; k < 2; ++k) {
    auto with = words;
    with.emplace_back(k == 0 ? "interpreted" : "compiled");
    const auto exit = program.run(with);
    if (exit.err.find("sandbox") != std::string::npos) GTEST_SKIP() << exit.err;
    ASSERT_EQ(exit.exit_code, 1) << exit.err;
    out[k] = exit.out;
  }
  EXPECT_THAT(out[0], HasSubstr("shared race"));
  EXPECT_EQ(out[0], out[1]);
  auto wrong = words;
  wrong.emplace_back("quick");
  EXPECT_THAT(program.run(wrong).err, HasSubstr("--engine"));
}

TEST(ExplainVerb, ReportsARaceAtItsLine) {
  Program program;
  program.write("mine.cu", transpose(""));
  const auto exit = program.run({"explain", "transpose", "mine.cu", "--json"});
  if (exit.err.find("sandbox") != std::string::npos) GTEST_SKIP() << exit.err;
  ASSERT_EQ(exit.exit_code, 1) << exit.err;
  const auto told = nlohmann::json::parse(exit.out);
  bool found = false;
  for (const auto& fault : told["faults"])
    found = found || (fault["kind"] == "shared_race" && (fault["line"] == 8 || fault["line"] == 5));
  EXPECT_TRUE(found) << told["faults"].dump(1);
  EXPECT_FALSE(told["lines"].empty());
  EXPECT_TRUE(told["launches"][0]["estimate"]["is_estimate"]);
}

}  // namespace
}  // namespace warpwright::cli
