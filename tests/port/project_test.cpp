// SPDX-License-Identifier: Apache-2.0
#include "port/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/build_flags.h"
#include "port/prove.h"
#include "port/report.h"

namespace warpwright::port {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* kKernel =
    "#include \"scale.h\"\n"
    "__global__ void k(float* x) { x[threadIdx.x] *= kScale; }\n"
    "int main() { float* d; cudaMalloc(&d, 256); k<<<1, 64>>>(d); cudaFree(d); }\n";

class Project : public ::testing::Test {
 protected:
  void SetUp() override {
    put("app/main.cu", kKernel);
    put("app/scale.h",
        "#pragma once\n#include \"../shared/types.cuh\"\nconstexpr float kScale = 2;\n");
    put("shared/types.cuh", "typedef cudaStream_t stream;\n");
    put("app/Makefile",
        "CC = nvcc\nCFLAGS = -arch=sm_60 -std=c++14 -DN=3\n\t$(CC) $(CFLAGS) main.cu\n");
    put("app/data.txt", "cudaMalloc\n");
  }

  void put(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    ASSERT_TRUE(make_directories(path.parent_path()).ok());
    ASSERT_TRUE(write_file(path, text).ok());
  }

  std::string written(const std::string& name) {
    const auto text = read_file(folder_.path() / "out" / name);
    return text.ok() ? *text : "missing: " + name;
  }

  Result<CarriedProject> carry(const std::string& input, const std::string& output,
                               Direction direction = Direction::to_hip) {
    return carry_over({folder_.path() / input, folder_.path() / output, direction});
  }

  TemporaryDirectory folder_ = TemporaryDirectory::create("port-test").value();
};

TEST_F(Project, AFileTakesItsHeadersAlong) {
  const auto project = carry("app/main.cu", "out");
  ASSERT_TRUE(project.ok()) << project.error().message;
  EXPECT_THAT(project->files,
              UnorderedElementsAre("main.cu", "scale.h", "outside/shared/types.cuh"));
  EXPECT_THAT(written("main.cu"), HasSubstr("hipMalloc(&d, 256); k<<<1, 64>>>(d)"));
  EXPECT_THAT(written("scale.h"), HasSubstr("#include \"outside/shared/types.cuh\""));
  EXPECT_THAT(written("outside/shared/types.cuh"), HasSubstr("typedef hipStream_t stream"));
  EXPECT_THAT(written("outside/shared/types.cuh"),
              HasSubstr("#include \"../../warpwright_hip.h\""));
  EXPECT_THAT(written("warpwright_hip.h"), HasSubstr("WW_WARP_SIZE"));
  EXPECT_THAT(project->flags.defines, ElementsAre("N=3"));
  ASSERT_THAT(project->units, SizeIs(1));
  EXPECT_TRUE(project->units[0].device);
}

TEST_F(Project, AFolderKeepsItsLayout) {
  const auto project = carry("app", "out");
  ASSERT_TRUE(project.ok()) << project.error().message;
  EXPECT_EQ(written("data.txt"), "cudaMalloc\n");
  EXPECT_THAT(written("Makefile"), HasSubstr("CC = hipcc\nCFLAGS = -std=c++14 -DN=3\n\t$(CC)"));
  ASSERT_THAT(project->units, SizeIs(1));
  EXPECT_EQ(project->units[0].name, "main.cu");
}

TEST_F(Project, AFileMayGetAnotherName) {
  ASSERT_TRUE(carry("app/main.cu", "out/other.cpp").ok());
  EXPECT_THAT(written("other.cpp"), HasSubstr("hipMalloc"));
}

TEST_F(Project, ThereAndBackAgain) {
  ASSERT_TRUE(carry("app/main.cu", "out").ok());
  const auto back = carry("out/main.cu", "out/back", Direction::to_cuda);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(written("back/main.cu"), "#include \"warpwright_cuda.h\"\n" + std::string(kKernel));
  EXPECT_THAT(back->files, Not(Contains("warpwright_hip.h")));
}

TEST_F(Project, WhatCannotBeDoneIsSaid) {
  EXPECT_THAT(carry("nothing.cu", "out").error().message, HasSubstr("nothing.cu"));
  EXPECT_THAT(carry("app", "app").error().message, HasSubstr("choose another"));
}

TEST_F(Project, CompilesForAnAmdDevice) {
  const PortTools tools = find_port_tools();
  if (tools.clang.empty() || tools.hip_include.empty() || tools.device_libraries.empty())
    GTEST_SKIP() << "no clang, no headers of HIP or no device libraries";
  const auto sandbox = sandbox::Sandbox::open();
  if (!sandbox.ok()) GTEST_SKIP() << sandbox.error().message;
  const auto project = carry("app/main.cu", "out");
  ASSERT_TRUE(project.ok());
  // Both are newer than Debian's device libraries.
  const auto outcomes =
      compile_project(*project, Direction::to_hip, {"gfx1100", "gfx942"}, tools, *sandbox, nullptr);
  ASSERT_TRUE(outcomes.ok()) << outcomes.error().message;
  ASSERT_THAT(*outcomes, SizeIs(2));
  for (const CompileOutcome& outcome : *outcomes) {
    EXPECT_EQ(outcome.compiles, true)
        << outcome.target << ": " << outcome.reason << testing::PrintToString(outcome.errors);
    ASSERT_THAT(outcome.kernels, SizeIs(1));
    EXPECT_GT(outcome.kernels[0].figures.at("vgprs"), 0);
  }
}

TEST(BuildFlags, WithoutVariables) {
  const BuildFlags flags =
      build_flags_of("# -DNO\nF := -DA -DB=\\\"x\\\" -I. -I$(X) --std=c++17 -DDEBUG\n");
  EXPECT_THAT(flags.defines, ElementsAre("A", "B=\"x\""));
  EXPECT_THAT(flags.includes, ElementsAre("."));
  EXPECT_EQ(flags.standard, "c++17");
}

TEST(Resources, OfEachKernel) {
  const auto kernels = parse_amd_resources(
      "a.cu:2:1: remark: Function Name: _Z1kPf [-Rpass-analysis=kernel-resource-usage]\n"
      "a.cu:2:1: remark:     SGPRs: 12 [-Rpass-analysis=kernel-resource-usage]\n"
      "a.cu:2:1: remark:     LDS Size [bytes/block]: 4096 [-Rpass-analysis=kernel-resource-usage]\n"
      "nonsense\n"
      "a.cu:9:1: remark: Function Name: other\n");
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].kernel, "_Z1kPf");
  EXPECT_EQ(kernels[0].figures.at("sgprs"), 12);
  EXPECT_EQ(kernels[0].figures.at("lds_bytes"), 4096);
}

PortReport compiled(std::optional<bool> compiles, bool lacks_header = false) {
  PortReport report;
  CompileOutcome outcome;
  outcome.target = "gfx90a";
  outcome.compiles = compiles;
  outcome.lacks_header = lacks_header;
  report.compiled.push_back(outcome);
  return report;
}

TEST(Report, ExitCodes) {
  EXPECT_EQ(exit_code_of(compiled(true)), 0);
  EXPECT_EQ(exit_code_of(compiled(false)), 1);
  EXPECT_EQ(exit_code_of(compiled(false, true)), 2);
  EXPECT_EQ(exit_code_of(compiled(std::nullopt)), 2);
  PortReport report = compiled(true);
  report.asked_cpu = true;
  EXPECT_EQ(exit_code_of(report), 2);
  report.verified.wave32 = report.verified.wave64 = true;
  EXPECT_EQ(exit_code_of(report), 0);
  report.verified.wave64 = false;
  EXPECT_EQ(exit_code_of(report), 1);
}

TEST(Report, JsonHasTheFieldsOfTheContract) {
  PortReport report = compiled(true);
  report.project.findings.unmapped.push_back({"a.cu", 3, "x", "do y", ""});
  report.project.findings.hazards.push_back({"a.cu", 4, "mask", "z", true, "why"});
  const std::string json = port_json(report);
  for (const char* part : {"\"compiles\": {\n    \"gfx90a\": true", "\"line\": 3",
                           "\"advice\": \"do y\"", "\"kind\": \"mask\"", "\"repaired\": true",
                           "\"wave32\": null", "\"wave64\": null", "\"cuda\": null"})
    EXPECT_THAT(json, HasSubstr(part));
}

}  // namespace
}  // namespace warpwright::port
