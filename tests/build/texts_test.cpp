// SPDX-License-Identifier: Apache-2.0
// Readers of other programs' texts: diagnostics, ptxas resources, PTX entries.
#include <gtest/gtest.h>

#include "build/diagnostics.h"
#include "build/resources.h"
#include "ptx/entries.h"

namespace warpwright::build {
namespace {

TEST(Diagnostics, ReadsClang) {
  const auto found = parse_diagnostics(
      "candidate.cu:7:3: warning: unused variable 'x' [-Wunused-variable]\n"
      "candidate.cu:12:5: error: use of undeclared identifier 'foo'\n"
      "candidate.cu:3:1: note: something\n"
      "1 warning and 1 error generated when compiling for sm_90.\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Diagnostic{"error", 12, 5, "use of undeclared identifier 'foo'"}));
  EXPECT_EQ(found[1].severity, "warning");
  EXPECT_EQ(found[1].line, 7);
}

TEST(Diagnostics, ReadsNvcc) {
  const auto found = parse_diagnostics(
      "candidate.cu(16): error: identifier \"foo\" is undefined\n    foo = 1;\n    ^\n\n"
      "candidate.cu(9): warning #177-D: variable \"y\" was declared but never referenced\n"
      "1 error detected in the compilation of \"candidate.cu\".\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Diagnostic{"error", 16, 0, "identifier \"foo\" is undefined"}));
  EXPECT_EQ(found[1].line, 9);
}

TEST(Diagnostics, ReadsPtxasAndTheLinker) {
  const auto found = parse_diagnostics(
      "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n"
      "/usr/bin/ld: host.o: in function `solve':\n"
      "candidate.cu:(.text+0x10): undefined reference to `cublasCreate_v2'\n"
      "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0].message.find("too much shared data"), std::string::npos);
  EXPECT_NE(found[1].message.find("cublasCreate_v2"), std::string::npos);
}

TEST(Diagnostics, ErrorsInHeadersPointAtTheCandidatesLine) {
  const auto found = parse_diagnostics(
      "/usr/include/c++/12/bits/stl_algo.h:10:1: error: no matching function\n"
      "/usr/include/c++/12/bits/stl_algo.h:99:1: note: in instantiation\n"
      "candidate.cu:21:7: note: requested here\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 21);
  EXPECT_EQ(found[0].message.find("/usr/"), std::string::npos);
}

TEST(Diagnostics, AreBounded) {
  std::string text;
  for (int i = 1; i < 5000; ++i) {
    text += "candidate.cu:" + std::to_string(i) + ":1: error: " + std::string(3000, 'x') + "\n";
  }
  const auto found = parse_diagnostics(text);
  EXPECT_EQ(found.size(), 20U);
  EXPECT_LT(found[0].message.size(), 600U);
}

TEST(Diagnostics, ForeignBytesAreHarmless) {
  EXPECT_TRUE(parse_diagnostics("").empty());
  EXPECT_TRUE(parse_diagnostics("a:99999999999999999999: error: x\n:::(((\n(1): \n").empty());
  EXPECT_TRUE(parse_diagnostics(std::string("\0\xFF\xFE:1:1: no", 12)).empty());
}

TEST(Resources, ReadsPtxasOfTwoToolkits) {
  const auto found = parse_resources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z1aPf' for 'sm_90'\n"
      "ptxas info    : Function properties for _Z1aPf\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 376 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, 352 bytes cmem[0]\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (KernelResources{"_Z1aPf", 40, 8, 12, 16, 4096, 0}));
  EXPECT_EQ(found[1], (KernelResources{"b", 10, 0, 0, 0, 0, 0}));
}

TEST(Occupancy, FollowsTheScarcestResource) {
  const DeviceFacts h200 = *known_device("h200");
  EXPECT_DOUBLE_EQ(occupancy(h200, 32, 0, 256), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(h200, 64, 0, 256), 0.5);
  EXPECT_DOUBLE_EQ(occupancy(h200, 16, 0, 32), 0.5) << "32 blocks of one warp";
  EXPECT_DOUBLE_EQ(occupancy(h200, 32, 100 * 1024, 1024), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(h200, 32, 200 * 1024, 1024), 0.5);
  EXPECT_DOUBLE_EQ(occupancy(h200, 32, 0, 2048), 0.0);
}

TEST(Occupancy, LaunchesAddDynamicSharedMemory) {
  KernelLaunch wide;
  wide.kernel = "a";
  wide.block = {1024, 1, 1};
  KernelLaunch deep = wide;
  deep.shared_bytes = 200 * 1024;
  LaunchPlan plan;
  plan.steps = {wide, deep};
  const std::vector<KernelResources> before = {{"a", 32, 0, 0, 0, 4096, 0},
                                               {"b", 32, 0, 0, 0, 64, 0}};
  const auto after = with_launches(before, {plan}, *known_device("h200"));
  EXPECT_EQ(after[0].shared_bytes, 4096 + 200 * 1024);
  EXPECT_DOUBLE_EQ(after[0].occupancy, 0.5);
  EXPECT_EQ(after[1], before[1]);
}

TEST(PtxEntries, LaysParametersOut) {
  const auto entries = ptx::entries_of(R"(
.version 8.3
.target sm_90
.shared .align 16 .b8 tile[4096];
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry first(
  .param .u64 first_param_0,
  .param .u32 first_param_1,
  .param .u64 .ptr .global .align 16 first_param_2,
  .param .align 4 .b8 first_param_3[12],
  .param .u8 first_param_4
)
.maxntid 128, 2, 1
.minnctapersm 2
{
  .local .align 8 .b8 __local_depot0[24];
  .shared .align 4 .f32 own[8];
  mov.u64 %rd1, tile; // mentions the module's variable
  ret;
}
.weak .entry second() { ret; })");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  const ptx::Entry& first = entries->at(0);
  EXPECT_EQ(first.name, "first");
  const std::vector<ptx::EntryParameter> expected = {{0, 8}, {8, 4}, {16, 8}, {24, 12}, {36, 1}};
  EXPECT_EQ(first.parameters, expected);
  EXPECT_EQ(first.parameter_bytes, 37U);
  EXPECT_EQ(first.max_threads, 256);
  EXPECT_EQ(first.shared_bytes, 4096 + 32);
  EXPECT_EQ(first.local_bytes, 24);
  EXPECT_EQ(entries->at(1).name, "second");
  EXPECT_EQ(entries->at(1).parameter_bytes, 0U);
  EXPECT_EQ(entries->at(1).shared_bytes, 0);
}

TEST(PtxEntries, AnyTextEnds) {
  for (const std::string_view text :
       {"", ".entry", ".entry x", ".entry x(", ".entry x(.param", ".entry x(.param .u64",
        ".entry x(.param .u64 a", ".entry x() {", ".entry x() .maxntid", ".shared", ".func {", "/*",
        "\"", ".entry x(.param .b8 a[99999999999])", ".entry x(.param .align 0 .b8 a[4]) {}"}) {
    const auto entries = ptx::entries_of(text);
    (void)entries.ok();
  }
  EXPECT_FALSE(ptx::entries_of(".entry x(.param .b8 a[99999999999]) {}").ok());
}

}  // namespace
}  // namespace warpwright::build
