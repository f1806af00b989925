// SPDX-License-Identifier: Apache-2.0
// A folder of kernels as a pack: folders that build, a page with all rows, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/kernel_file.h"
#include "cli/nvcc.h"
#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// Folder in the pack and text of every kernel of the repository.
std::map<std::string, std::string> repository_kernels() {
  std::map<std::string, std::string> kernels;
  for (const char* folder : {"/kernels", "/kernels/free"}) {
    for (const auto& entry : fs::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".cu") continue;
      const bool apart = entry.path().parent_path().filename() == "free";
      kernels[entry.path().stem().string() + (apart ? "-free" : "")] =
          read_file(entry.path()).value();
    }
  }
  return kernels;
}

std::string packed_text(const Program& program, const std::string& name) {
  const auto text = read_file(program.folder() / "pack" / name, std::size_t{64} << 20);
  return text.ok() ? *text : "";
}

nlohmann::json page_data(const Program& program) {
  const std::string html = packed_text(program, "index.html");
  const std::string open = "id=\"data\">";
  const auto from = html.find(open) + open.size();
  return parse_json_or_discard(html.substr(from, html.find("</script>", from) - from));
}

class Pack : public testing::Test {
 protected:
  ProcessExit pack(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"pack", "-o", "pack"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program_.run(arguments);
  }
  Program program_;
};

TEST_F(Pack, EveryKernelOfTheRepositoryIsThere) {
  const auto done = pack({source_path("/kernels"), "--bench",
                          source_path("/docs/results/2026-11-16-h200-bench.json")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto kernels = repository_kernels();
  ASSERT_GE(kernels.size(), 26U);
  const auto data = page_data(program_);
  ASSERT_EQ(data["kernels"].size(), kernels.size());
  const std::string html = packed_text(program_, "index.html");
  const std::string readme = packed_text(program_, "README.md");
  std::vector<std::string> python = {"python3", "-m", "py_compile"};
  std::size_t number = 0;
  for (const auto& [folder, text] : kernels) {
    SCOPED_TRACE(folder);
    const auto file = bench::read_kernel_file(text);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(packed_text(program_, folder + "/kernel.cu"), file->source);
    for (const char* name : {"kernel.h", "CMakeLists.txt", "baseline.cu", "test.cu"})
      EXPECT_FALSE(packed_text(program_, folder + "/" + name).empty()) << name;
    const auto origin = parse_json_or_discard(packed_text(program_, folder + "/provenance.json"));
    EXPECT_EQ(origin["source_sha256"], file->sha256);
    std::string name = folder;
    std::replace(name.begin(), name.end(), '-', '_');
    EXPECT_THAT(packed_text(program_, folder + "/torch/warpwright_" + name + "/binding.cpp"),
                HasSubstr("TORCH_LIBRARY_IMPL(warpwright_" + name));
    python.push_back("pack/" + folder + "/torch/warpwright_" + name + "/__init__.py");
    python.push_back("pack/" + folder + "/torch/test_" + name + ".py");
    EXPECT_TRUE(fs::exists(program_.folder() / python.back()));
    const auto& row = data["kernels"][number++];
    EXPECT_EQ(row["folder"], folder);
    EXPECT_EQ(row["sizes"].size(), file->origin.measurements.size());
    EXPECT_FALSE(row["sizes"][0]["values"].empty());
    EXPECT_THAT(html, HasSubstr("<a href=\"" + folder + "/torch/README.md\">"));
    EXPECT_THAT(readme, HasSubstr("[" + folder + "](" + folder + "/kernel.cu)"));
  }
  EXPECT_THAT(readme, HasSubstr("Apache-2.0"));
  if (!find_program("python3").ok()) return;
  Command command = program_.command({});
  command.argv = python;
  EXPECT_EQ(run_process(command).value().exit_code, 0);
}

TEST_F(Pack, WhatDoesNotFitItsHeadIsRefusedByName) {
  const auto kernels = repository_kernels();
  program_.write("kernels/copy.cu", kernels.at("copy"));
  program_.write("kernels/relu.cu", kernels.at("relu") + "// changed\n");
  program_.write("kernels/dot.cu", "// no head\n");
  program_.write("kernels/scan.cu", kernels.at("sort"));
  const auto done = pack({});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("refused: 'kernels/relu.cu'"), HasSubstr("sha256"),
                              HasSubstr("refused: 'kernels/scan.cu'"),
                              HasSubstr("skipped: 'kernels/dot.cu'")));
  EXPECT_TRUE(fs::exists(program_.folder() / "pack/copy/kernel.cu"));
  EXPECT_FALSE(fs::exists(program_.folder() / "pack/relu"));
  EXPECT_EQ(page_data(program_)["kernels"].size(), 1U);
  const auto again = pack({"--tasks", "copy"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  EXPECT_EQ(pack({"--tasks", "copy", "--force"}).exit_code, 0);
}

TEST_F(Pack, NothingIsWrittenWhereNothingCanBe) {
  EXPECT_THAT(pack({}).err, HasSubstr("there is no folder 'kernels' here"));
  EXPECT_EQ(pack({"nowhere"}).exit_code, 2);
  program_.write("kernels/copy.cu", repository_kernels().at("copy"));
  program_.write("more/copy.cu", repository_kernels().at("copy"));
  program_.write("bench.json", "{}");
  EXPECT_THAT(pack({"--tasks", "nothing"}).err, HasSubstr("no kernel for 'nothing'"));
  EXPECT_THAT(pack({"kernels", "more"}).err, HasSubstr("would both be packed as 'copy'"));
  EXPECT_THAT(pack({"--bench", "bench.json"}).err, HasSubstr("not the JSON of a benchmark"));
  EXPECT_FALSE(fs::exists(program_.folder() / "pack"));
  program_.write("bare/copy.cu", "// no head\n");
  EXPECT_EQ(pack({"bare"}).exit_code, 2);
}

TEST_F(Pack, ATaskOfOnesOwnIsFoundInItsSuite) {
  fs::create_directories(program_.folder() / "tasks");
  fs::copy(source_path("/tasks/relu"), program_.folder() / "tasks/mine",
           fs::copy_options::recursive);
  bench::KernelOrigin origin;
  origin.task = "mine";
  origin.rule_set = "strict";
  origin.device = "Some <GPU>";
  const std::string source = read_file(source_path("/tasks/relu/baseline.cu")).value();
  program_.write("kernels/mine.cu", bench::kernel_file_text(origin, source));
  EXPECT_EQ(pack({}).exit_code, 1);
  const auto done = pack({"--suite", "tasks", "--force"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(packed_text(program_, "mine/torch/warpwright_mine/__init__.py"),
              HasSubstr("mine(Tensor input, int N) -> Tensor"));
}

TEST_F(Pack, EveryPlainFolderBuilds) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "some 26 builds by nvcc; WARPWRIGHT_SLOW_TESTS=1 runs it";
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  ASSERT_EQ(pack({source_path("/kernels")}).exit_code, 0);
  for (const auto& [folder, text] : repository_kernels()) {
    const auto built = build_export(program_.folder() / "pack" / folder);
    EXPECT_EQ(built.exit_code, 0) << folder << built.err << built.out;
  }
}

}  // namespace
}  // namespace warpwright::cli
