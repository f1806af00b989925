// SPDX-License-Identifier: Apache-2.0
// What `export` writes is taken by somebody's compiler: names, targets, and every task and winner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/nvcc.h"
#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// A run whose best answer is this source; the fake judge goes by hashes, so it is salted.
void run_with(Program& program, const std::string& task, const std::string& source) {
  std::string lines;
  for (int slot = 1; slot <= 8; ++slot) {
    const std::string text = "```cuda\n" + source + "// " + std::to_string(slot) + "\n```\n";
    lines += dump_json({{"id", "r1.c" + std::to_string(slot)}, {"text", text}}) + "\n";
  }
  program.write("talk/conversation.jsonl", lines);
  const auto exit =
      program.run({"run", task, "--model", "replay:talk", "-n", "8", "-d", "1", "-q", "--repairs",
                   "0", "--worker", fake_worker_path(), "--stop-at-roofline", "0"});
  ASSERT_EQ(exit.exit_code, 0) << task << exit.err << exit.out;
}

std::string text_of(const Program& program, const std::string& name) {
  const auto text = read_file(program.folder() / name);
  return text.ok() ? *text : "";
}

std::string baseline_of(const std::string& task) {
  return read_file(source_path("/tasks/" + task + "/baseline.cu")).value();
}

TEST(Export, AFolderThatIsThereNeedsForce) {
  Program program;
  run_with(program, "transpose", baseline_of("transpose"));
  ASSERT_EQ(program.run({"export", "last", "-o", "out"}).exit_code, 0);
  program.write("out/kernel.cu", "mine");
  const auto refused = program.run({"export", "last", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(text_of(program, "out/kernel.cu"), "mine");
  EXPECT_EQ(program.run({"export", "last", "-o", "out", "--force"}).exit_code, 0);
  EXPECT_THAT(text_of(program, "out/kernel.cu"), HasSubstr("extern \"C\" void solve"));
  fs::create_directory(program.folder() / "empty");
  EXPECT_EQ(program.run({"export", "last", "-o", "empty"}).exit_code, 0);
}

TEST(Export, TheFunctionGetsTheNameAndNamespaceThatWereChosen) {
  Program program;
  run_with(program, "transpose",
           "// solve stays here, and in \"solve\"\n" + baseline_of("transpose"));
  ASSERT_EQ(
      program
          .run({"export", "last", "-o", "out", "--function", "turn", "--namespace", "mine::fast"})
          .exit_code,
      0);
  EXPECT_THAT(text_of(program, "out/kernel.h"),
              AllOf(HasSubstr("namespace mine::fast {\nvoid turn(const float* input"),
                    Not(HasSubstr("solve"))));
  EXPECT_THAT(text_of(program, "out/kernel.cu"),
              AllOf(HasSubstr("// solve stays here, and in \"solve\""),
                    HasSubstr("extern \"C\" void mine_fast_turn("),
                    HasSubstr("::mine_fast_turn(input, output, rows, cols);"),
                    Not(HasSubstr("void solve("))));
  EXPECT_THAT(text_of(program, "out/test.cu"), HasSubstr("mine::fast::turn(input.kernel"));
  EXPECT_THAT(text_of(program, "out/CMakeLists.txt"), HasSubstr("mine_fast_turn_kernel"));
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"--function", "9lives"},
                                             {"--function", "a b"},
                                             {"--function", "while"},
                                             {"--namespace", "a::"},
                                             {"--namespace", "a:b"}}) {
    std::vector<std::string> arguments = {"export", "last", "-o", "bad"};
    arguments.insert(arguments.end(), bad.begin(), bad.end());
    const auto exit = program.run(arguments);
    EXPECT_EQ(exit.exit_code, 2) << bad[1];
    EXPECT_THAT(exit.err, HasSubstr(bad[0]));
  }
  EXPECT_FALSE(fs::exists(program.folder() / "bad"));
}

TEST(Export, AssemblyIsBuiltForTheArchitectureItself) {
  Program plain;
  run_with(plain, "copy", baseline_of("copy"));
  ASSERT_EQ(plain.run({"export", "last", "-o", "out"}).exit_code, 0);
  EXPECT_THAT(text_of(plain, "out/test.cu"),
              HasSubstr("-gencode arch=compute_90,code=[sm_90,compute_90]"));
  EXPECT_THAT(text_of(plain, "out/CMakeLists.txt"), HasSubstr("CMAKE_CUDA_ARCHITECTURES 90)"));
  Program exact;
  run_with(exact, "copy", read_file(source_path("/kernels/copy.cu")).value());
  ASSERT_EQ(exact.run({"export", "last", "-o", "out"}).exit_code, 0);
  EXPECT_THAT(text_of(exact, "out/test.cu"), HasSubstr("-gencode arch=compute_90a,code=sm_90a"));
  EXPECT_THAT(text_of(exact, "out/CMakeLists.txt"), HasSubstr("90a-real"));
}

TEST(Export, HalvesAreIncludedAndComparedAsNumbers) {
  Program program;
  run_with(program, "rope", baseline_of("rope"));
  ASSERT_EQ(program.run({"export", "last", "-o", "out"}).exit_code, 0);
  EXPECT_THAT(text_of(program, "out/kernel.h"), HasSubstr("#include <cuda_fp16.h>"));
  const std::string test = text_of(program, "out/test.cu");
  EXPECT_THAT(test, HasSubstr("double number(__half value)"));
  // In a namespace a header that is included for the first time would declare other things.
  EXPECT_LT(test.find("#include <cuda_fp16.h>"), test.find("namespace baseline {"));
}

/// A kernel of the repository, where its head says where it comes from.
TEST(Export, AKernelsFileNeedsNoRun) {
  Program program;
  const std::string kernel = source_path("/kernels/topk.cu");
  const auto done =
      program.run({"export", "--task", "topk", "--kernel", kernel, "-o", "out", "--function", "k"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(fs::exists(program.archive()));
  for (const char* name : {"kernel.cu", "kernel.h", "CMakeLists.txt", "baseline.cu", "test.cu",
                           "test_input_input.bin", "provenance.json"})
    EXPECT_TRUE(fs::exists(program.folder() / "out" / name)) << name;
  EXPECT_THAT(text_of(program, "out/kernel.cu"),
              AllOf(HasSubstr("extern \"C\" void k("), Not(HasSubstr("// sha256:"))));
  const auto origin = parse_json_or_discard(text_of(program, "out/provenance.json"));
  EXPECT_EQ(origin["task"], "topk");
  EXPECT_EQ(origin["source_sha256"].get<std::string>().size(), 64U);
  EXPECT_THAT(origin["evaluation"]["device"].get<std::string>(), HasSubstr("H200"));
  EXPECT_EQ(origin["evaluation"]["measurements"].size(), 5U);
  EXPECT_EQ(origin["evaluation"]["measurements"][0]["size"], "N=2^10,k=32");
  EXPECT_GT(origin["evaluation"]["measurements"][0]["median_us"], 0);
  program.write("mine.cu", baseline_of("topk"));
  ASSERT_EQ(program.run({"export", "--task", "topk", "--kernel", "mine.cu"}).exit_code, 0);
  EXPECT_THAT(text_of(program, "topk_export/provenance.json"), Not(HasSubstr("evaluation")));
  program.write("other.cu", read_file(kernel).value() + "// changed\n");
  const auto refused =
      program.run({"export", "--task", "topk", "--kernel", "other.cu", "-o", "no"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("other.cu"), HasSubstr("sha256")));
  EXPECT_FALSE(fs::exists(program.folder() / "no"));
  EXPECT_EQ(program.run({"export", "last", "--task", "topk", "--kernel", kernel}).exit_code, 2);
}

TEST(Export, ATaskWithoutAModuleIsAnOperatorToo) {
  Program program;
  const auto done = program.run({"export", "--torch", "--task", "span_attention", "--kernel",
                                 source_path("/kernels/span_attention.cu"), "-o", "out"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(
      text_of(program, "out/warpwright_span_attention/__init__.py"),
      HasSubstr("span_attention(Tensor q, Tensor k_cache, Tensor v_cache, Tensor span_start, "
                "Tensor span_len, Tensor span_offsets, int B"));
  EXPECT_THAT(text_of(program, "out/README.md"), HasSubstr("Judged on NVIDIA H200"));
  EXPECT_TRUE(fs::exists(program.folder() / "out" / "test_input_span_len.bin"));
  // Without a GPU the test looks at shapes and refusals alone.
  Command python;
  python.argv = {"/usr/bin/python3", "test_span_attention.py"};
  python.env = minimal_environment();
  python.cwd = program.folder() / "out";
  python.limits.wall = std::chrono::minutes(10);
  Command torch = python;
  torch.argv = {"/usr/bin/python3", "-c", "import torch"};
  const auto there = run_process(torch);
  if (!there.ok() || there->exit_code != 0) GTEST_SKIP() << "python3 has no torch";
  const auto tested = run_process(python).value();
  EXPECT_EQ(tested.exit_code, 0) << tested.err.substr(0, 2000);
  EXPECT_THAT(tested.out, HasSubstr("wrong calls refused"));
}

// A copy's words are any bits: what is no number must be the same one. Where a tolerance holds, the
// baseline's is any.
TEST(Export, WordsOfACopyAreComparedAsBits) {
  Program program;
  ASSERT_EQ(program
                .run({"export", "--torch", "--task", "copy", "--kernel",
                      source_path("/kernels/copy.cu"), "-o", "out"})
                .exit_code,
            0);
  Command python;
  python.argv = {
      "/usr/bin/python3", "-c",
      "import torch, test_copy as t\n"
      "words = lambda *w: {'B': torch.tensor(w, dtype=torch.int32).view(torch.float32)}\n"
      "def same(a, b):\n"
      "    try: t.compare(a, b, 'words')\n"
      "    except AssertionError: return False\n"
      "    return True\n"
      "none = 0x7fc00001\n"
      "print(same(words(1, none), words(1, none)), same(words(1, 5), words(1, none)),\n"
      "      same(words(1, none + 1), words(1, none)), same(words(2, none), words(1, none)),\n"
      "      same(words(1 - 2**31 - 1, 0), words(0, 0)))\n"
      "t.NEAR['B'] = (0.1, 0, False)\n"
      "print(same(words(1, 5), words(1, none)), same(words(), words()))\n"};
  python.env = minimal_environment();
  python.cwd = program.folder() / "out";
  python.limits.wall = std::chrono::minutes(10);
  Command torch = python;
  torch.argv = {"/usr/bin/python3", "-c", "import torch"};
  const auto there = run_process(torch);
  if (!there.ok() || there->exit_code != 0) GTEST_SKIP() << "python3 has no torch";
  const auto tested = run_process(python).value();
  EXPECT_EQ(tested.exit_code, 0) << tested.err.substr(0, 2000);
  EXPECT_THAT(tested.out,
              HasSubstr("True False False False False\nwords ok: B\nwords ok: B\nTrue True"));
}

struct Kernel {
  std::string task, file;
};

/// Every task's own baseline and every winner.
std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (const auto& entry : fs::directory_iterator(source_path("/tasks"))) {
    kernels.push_back({entry.path().filename().string(), (entry.path() / "baseline.cu").string()});
  }
  for (const char* folder : {"/kernels", "/kernels/free"}) {
    for (const auto& entry : fs::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".cu") continue;
      kernels.push_back({entry.path().stem().string(), entry.path().string()});
    }
  }
  return kernels;
}

TEST(Export, AnExportOfHalvesBuildsUnderAnotherName) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  Program program;
  run_with(program, "rope", baseline_of("rope"));
  ASSERT_EQ(program.run({"export", "last", "-o", "out", "--namespace", "mine"}).exit_code, 0);
  const auto built = build_export(program.folder() / "out");
  EXPECT_EQ(built.exit_code, 0) << built.err;
}

TEST(Export, EveryTaskAndWinnerBuilds) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr) {
    GTEST_SKIP() << "some 55 builds by nvcc; WARPWRIGHT_SLOW_TESTS=1 runs it";
  }
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  // bench/exports builds and runs what is kept here on a machine with a GPU.
  const char* kept = std::getenv("WARPWRIGHT_EXPORTS");
  for (const Kernel& kernel : all_kernels()) {
    SCOPED_TRACE(kernel.file);
    Program program;
    run_with(program, kernel.task, read_file(kernel.file).value());
    ASSERT_EQ(program.run({"export", "last", "-o", "out"}).exit_code, 0);
    const auto built = build_export(program.folder() / "out");
    EXPECT_EQ(built.exit_code, 0) << built.err << built.out;
    if (kept == nullptr) continue;
    const std::string name =
        fs::path(kernel.file).parent_path().filename().string() + "-" + kernel.task;
    fs::remove(program.folder() / "out" / "test");
    fs::create_directories(kept);
    fs::copy(program.folder() / "out", fs::path(kept) / name,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
}

}  // namespace
}  // namespace warpwright::cli
