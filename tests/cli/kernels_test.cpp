// SPDX-License-Identifier: Apache-2.0
// A folder of kernels: exported with their origin, judged in full by the benchmark.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Kernels, AWinnerIsExportedWithItsOrigin) {
  Program program;
  std::string lines;
  for (const char* id : {"r1.c1", "r1.c2", "r1.c3", "r1.c4"}) {
    lines += nlohmann::json{{"id", id}, {"text", answer(id)}, {"model", "m-7"}}.dump() + "\n";
  }
  program.write("recorded/conversation.jsonl", lines);
  const auto run = program.run({"run", "transpose", "--model", "replay:recorded", "-n", "4", "-d",
                                "1", "-q", "--worker", fake_worker_path()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto exit = program.run({"export", "last", "--kernels", "kernels", "--commit", "abc123"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  const auto text = read_file(program.folder() / "kernels" / "transpose.cu").value();
  EXPECT_THAT(text, AllOf(HasSubstr("// task: transpose\n// rules: strict\n// device: fake\n"),
                          HasSubstr("// commit: abc123\n"), HasSubstr("// model: m-7\n"),
                          HasSubstr("// run: transpose-1 r1.c"), HasSubstr("1024^2"),
                          HasSubstr("extern \"C\" void solve")));
  const auto prepared = program.run(
      {"bench", "--tasks", "transpose", "--kernels", "kernels", "--prepare", "bench_folder"});
  EXPECT_EQ(prepared.exit_code, 0) << prepared.err;
  EXPECT_EQ(program.run({"export", "last", "--kernels", "k", "-o", "x"}).exit_code, 2);
  const auto both = program.run({"export", "last", "-o", "both", "--hip"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("both/hip/kernel.cu\n"));
  EXPECT_THAT(read_file(program.folder() / "both" / "hip" / "kernel.cu").value(),
              HasSubstr("#include \"warpwright_hip.h\""));
}

TEST(Kernels, TheBenchmarkJudgesThemInFullAndABadOneIsExitCodeOne) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the SIMT machine is slow under AddressSanitizer; the release build runs this";
#endif
  if (!find_program("clang-19").ok()) GTEST_SKIP() << "clang-19 is not installed";
  Program program;
  const std::string tasks = source_path("/tasks/");
  const auto copy = read_file(tasks + "copy/baseline.cu").value();
  auto relu = read_file(tasks + "relu/baseline.cu").value();
  program.write("kernels/copy.cu", copy);
  program.write("kernels/relu.cu", relu);
  const std::vector<std::string> bench = {"bench",     "--tasks", "copy,relu",
                                          "--kernels", "kernels", "--quick",
                                          "--device",  "simt",    "--no-slow"};
  const auto good = program.run(bench);
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_THAT(good.out,
              AllOf(HasSubstr("copy  (kernel: k.copy)"),
                    HasSubstr("kernel     over b1             1.00  (2 tasks, 4 sizes)")));
  // Right at every timed size; wrong where the input ends within a block.
  const auto at = relu.find("i < n");
  ASSERT_NE(at, std::string::npos);
  relu.replace(at, 5, "i < n && n % 256 == 0");
  program.write("kernels/relu.cu", relu);
  auto with_page = bench;
  with_page.insert(with_page.end(), {"--html", "page.html"});
  const auto bad = program.run(with_page);
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(read_file(program.folder() / "page.html").value(),
              AllOf(HasSubstr("Benchmark"), HasSubstr("\"relu.k.relu\"")));
  EXPECT_THAT(bad.out, AllOf(HasSubstr("relu  (k.relu: mismatch)"),
                             HasSubstr("BAD VERDICTS: 1 of 4 jobs\n  relu.k.relu: mismatch: ")));
}

}  // namespace
}  // namespace warpwright::cli
