// SPDX-License-Identifier: Apache-2.0
// Rules on texts: where values come from, attributes, questions, scores and rooflines.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <span>

#include "flops/attributes.h"
#include "flops/dataflow.h"
#include "flops/doubt.h"
#include "flops/questions.h"
#include "flops/roofline.h"
#include "flops/source_functions.h"
#include "flops/static_count.h"
#include "flops/targets.h"
#include "ptx/parser.h"

namespace warpwright::flop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = ".version 8.3\n.target sm_86\n.address_size 64\n";

KernelTraits traits_of(const std::string& params, const std::string& body) {
  const std::string text = kHead + (".visible .entry k(" + params +
                                    ")\n{\n.reg .pred %p<9>;\n"
                                    ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n" +
                                    body + "}\n");
  const auto ast = ptx::parse_ptx(text);
  EXPECT_TRUE(ast.ok()) << (ast.ok() ? "" : ast.error().message);
  return ast.ok() ? kernel_traits(*ast).at(0) : KernelTraits{};
}

TEST(Dataflow, ParametersThatAreReadAndWritten) {
  const KernelTraits traits = traits_of(
      ".param .u64 a, .param .u64 b",
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\ncvta.to.global.u64 %rd3, %rd1;\n"
      "ld.global.f32 %f1, [%rd3];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd2], %f2;\nret;\n");
  EXPECT_EQ(traits.loaded, 1U);
  EXPECT_EQ(traits.stored, 2U);
  EXPECT_FALSE(traits.loads_anywhere);
  EXPECT_FALSE(traits.stores_anywhere);
  EXPECT_FALSE(traits.diverges);
  EXPECT_FALSE(traits.has_branches);
}

TEST(Dataflow, AnAddressFromMemoryGoesAnywhere) {
  const KernelTraits traits = traits_of(".param .u64 a",
                                        "ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\n"
                                        "st.global.f32 [%rd2], %f1;\nret;\n");
  EXPECT_TRUE(traits.stores_anywhere);
}

TEST(Dataflow, DivergenceByThreadAndByData) {
  const KernelTraits thread =
      traits_of(".param .u32 n",
                "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
                "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra E;\nadd.f32 %f1, %f1, %f1;\nE:\nret;\n");
  EXPECT_TRUE(thread.diverges);
  EXPECT_FALSE(thread.diverges_by_data);
  const KernelTraits data = traits_of(
      ".param .u64 a",
      "ld.param.u64 %rd1, [a];\nld.global.f32 %f1, [%rd1];\n"
      "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra E;\nadd.f32 %f2, %f1, %f1;\nE:\nret;\n");
  EXPECT_FALSE(data.diverges);
  EXPECT_TRUE(data.diverges_by_data);
}

TEST(Doubt, FollowsWhatIsWrittenAndCopied) {
  simt::Memory memory;
  const simt::Address a = *memory.allocate(64, "a"), b = *memory.allocate(64, "b"),
                      c = *memory.allocate(64, "c");
  Doubt doubt(memory);
  KernelTraits traits;
  traits.loaded = 1;
  traits.stored = 2;
  const std::vector<simt::ParamFacts> params = {{8, 0, 8}, {8, 8, 8}};
  const auto launch = [&](const std::array<simt::Address, 2>& values) {
    return Doubt::Launch{&traits, params, std::as_bytes(std::span(values))};
  };
  const std::array<simt::Address, 2> a_to_b = {a, b}, b_to_c = {b, c}, c_to_a = {c, a};
  doubt.spread(launch(a_to_b));
  EXPECT_FALSE(doubt.reads(launch(a_to_b)));
  EXPECT_TRUE(doubt.reads(launch(b_to_c)));
  EXPECT_FALSE(doubt.reads(launch(c_to_a)));
  doubt.copied(c, b, 64);
  EXPECT_TRUE(doubt.reads(launch(c_to_a)));
  doubt.copied(c, 0, 64);  // from a host that has seen nothing doubtful
  EXPECT_FALSE(doubt.reads(launch(c_to_a)));
  doubt.filled(b, 32);
  EXPECT_TRUE(doubt.reads(launch(b_to_c)));
  doubt.copied(0, b, 64);
  EXPECT_TRUE(doubt.reads(launch(c_to_a)));
}

TEST(SourceFunctions, NamesParametersAndBodies) {
  const auto functions = device_functions(
      "// __global__ void no(int);\n"
      "template <class T> __global__ void __launch_bounds__(256)\nscale(T* __restrict__ x, const "
      "int n = 3) "
      "{ if (n > 0) { x[0] = f(x[1]); } }\n__device__ float table[4];\n"
      "static __device__ __forceinline__ float f(float v) { return v / 2; }\n"
      "__device__ int later(int);\n");
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].name, "scale");
  EXPECT_TRUE(functions[0].is_kernel);
  EXPECT_THAT(functions[0].parameters, ElementsAre("x", "n"));
  EXPECT_THAT(called_names(functions[0].body), ElementsAre("f"));
  EXPECT_EQ(functions[1].name, "f");
  EXPECT_FALSE(functions[1].is_kernel);
}

TEST(Attributes, ByRule) {
  const std::vector<SourceFile> files = {
      {"a.cu",
       "#define TWICE(x) ((x) + (x))\n"
       "__device__ int depth(int n) { return n == 0 ? 0 : depth(n - 1) + 1; }\n"
       "__global__ void plain(float* x) { x[threadIdx.x] += TWICE(1.0f); }\n"
       "__global__ void rich(float* x) { x[0] = sinf(x[0] * 2) + depth(4); printf(\"\"); }\n"
       "__global__ void same(float* x, float a, float b) { x[0] = (a + b) * x[1] + (a + b); }\n"}};
  KernelTraits traits;
  const Attributes plain = attributes_of("plain", files, traits);
  for (const AttributeRow& row : attribute_rows()) EXPECT_FALSE(plain.*row.member) << row.name;
  traits.divides = traits.diverges = true;
  const Attributes rich = attributes_of("rich", files, traits);
  EXPECT_TRUE(rich.division && rich.divergence && rich.special_functions && rich.device_call &&
              rich.recursion && rich.external_call);
  EXPECT_FALSE(rich.common_subexpressions);
  EXPECT_TRUE(attributes_of("same", files, traits).common_subexpressions);
}

TEST(Answers, AreFoundInWhatModelsWrite) {
  const Answer plain = answer_in("{\"sp_flop_count\": 12, \"dp_flop_count\": 0}");
  EXPECT_EQ(plain.sp, 12);
  EXPECT_EQ(plain.dp, 0);
  const Answer wordy = answer_in(
      "First {\"sp_flop_count\": 1} was wrong.\n```json\n{\"sp_flop_count\": \"1,024\", "
      "\"sp_flop_explanation\": \"a } in { quotes\", \"dp_flop_count\": 2e3}\n```\nDone.");
  EXPECT_EQ(wordy.sp, 1024);
  EXPECT_EQ(wordy.dp, 2000);
  const Answer prose = answer_in("sp_flop_count = 77\ndp_flop_count = none");
  EXPECT_EQ(prose.sp, 77);
  EXPECT_FALSE(prose.dp);
  EXPECT_FALSE(answer_in("I cannot say.").sp);
  EXPECT_FALSE(answer_in("{\"sp_flop_count\": -4}").sp);
  EXPECT_FALSE(answer_in("{{{{{{").sp);
}

TEST(Scores, SharesCorrelationAndLogarithms) {
  // Exact; 5 % off; twice; no answer; rightly zero; wrongly zero.
  const Score score = score_of({{100, 100}, {105, 100}, {200, 100}, {{}, 100}, {0, 0}, {0, 10}});
  EXPECT_EQ(score.questions, 6U);
  EXPECT_EQ(score.answered, 5U);
  EXPECT_NEAR(score.within_1, 100.0 * 2 / 6, 1e-9);
  EXPECT_NEAR(score.within_10, 100.0 * 3 / 6, 1e-9);
  EXPECT_NEAR(score.within_100, 100.0 * 5 / 6, 1e-9);
  // tp 3, tn 1, fn 1: 3 / sqrt(3 * 4 * 1 * 2).
  EXPECT_NEAR(score.mcc, 3 / std::sqrt(24.0), 1e-9);
  EXPECT_NEAR(score.male, (0 + std::log10(1.05) + std::log10(2.0)) / 3, 1e-9);
  EXPECT_EQ(score_of({}).questions, 0U);
  EXPECT_EQ(score_of({{5, 5}}).mcc, 1);
}

TEST(Roofline, TheSmallerRoofLimits) {
  const DeviceFacts device = *target_named("sm_86");
  const RooflinePoint low = roofline_point("copy", {1e6, 0, 0, 0}, 4e6, device);
  EXPECT_TRUE(low.memory_bound);
  EXPECT_NEAR(low.roof_tflops, 0.25 * 760 / 1000, 1e-9);
  const RooflinePoint high = roofline_point("multiply", {1e9, 0, 0, 0}, 1e6, device);
  EXPECT_FALSE(high.memory_bound);
  EXPECT_NEAR(high.roof_tflops, 29.8, 1e-9);
  const RooflinePoint wide = roofline_point("dp", {0, 1e9, 0, 0}, 1e6, device);
  EXPECT_NEAR(wide.roof_tflops, 0.465, 1e-9);
  EXPECT_EQ(roofline_point("nothing", {}, 0, device).intensity, 0);
  EXPECT_THAT(roofline_text({low, high}, device), HasSubstr("A  copy"));
  const std::string svg = roofline_svg({roofline_point("a<b", {1, 0, 0, 0}, 1, device)}, device);
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_EQ(svg.find("a<b"), std::string::npos);
}

TEST(Formula, SumsAndProducts) {
  const Formula n = Formula::name("n"), m = Formula::name("m");
  EXPECT_EQ((Formula(2) * n * m + n + Formula(3) - Formula(1)).text(), "2*m*n + n + 2");
  EXPECT_EQ((n - n).text(), "0");
  EXPECT_EQ((Formula(-1) * n).text(), "-n");
  EXPECT_EQ((Formula(8) * n).divided(4, true).text(), "2*n");
  EXPECT_EQ((n + Formula(1)).divided(4, true).text(), "ceil((n + 1)/4)");
  EXPECT_EQ(Formula(9).divided(4, true).number(), 3);
  EXPECT_EQ(Formula(9).divided(4, false).number(), 2);
}

TEST(Formula, WhatGrowsWithoutEndIsGivenUp) {
  std::string text = std::string(kHead) +
                     ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<99>;\n"
                     ".reg .b32 %r<99>;\n.reg .f32 %f<9>;\nld.param.u32 %r1, [n];\n"
                     "setp.lt.s32 %p1, %r1, 4;\n";
  for (int i = 1; i < 60; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i + 1);
    text += "mad.lo.s32 %r" + b + ", %r" + a + ", %r" + a + ", %r" + a + ";\n";
    text += "and.pred %p" + b + ", %p" + a + ", %p" + a + ";\n";
  }
  text +=
      "setp.lt.s32 %p70, %r60, 7;\n@%p70 bra E;\n@%p60 bra E;\nadd.f32 %f1, %f1, "
      "%f1;\nE:\nret;\n}\n";
  const auto counts = static_counts(text, {});
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].unknown.size(), 1U);
}

/// A kernel `k(float* a, int n, int m)` with this body.
StaticCount static_of(const std::string& body) {
  const std::string text =
      kHead + (".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .u32 "
               "k_param_2)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .f32 %f<9>;\n.reg .b64 "
               "%rd<9>;\nld.param.u64 %rd1, [k_param_0];\nld.param.u32 %r1, [k_param_1];\n"
               "ld.param.u32 %r2, [k_param_2];\n" +
               body + "}\n");
  const auto counts =
      static_counts(text, {{"k.cu", "__global__ void k(float* a, int n, int m) { }"}});
  EXPECT_EQ(counts.size(), 1U);
  return counts.empty() ? StaticCount{} : counts.front();
}

TEST(StaticCount, ALoopOverAnArgument) {
  // for (j = 0; j < n; ++j) f1 += ...: tested at the end.
  const StaticCount count = static_of(
      "mov.u32 %r3, 0;\nL:\nfma.rn.f32 %f1, %f1, %f1, %f1;\nadd.s32 %r4, %r3, 1;\n"
      "setp.lt.s32 %p1, %r4, %r1;\nmov.u32 %r3, %r4;\n@%p1 bra L;\nadd.f32 %f2, %f1, %f1;\nret;\n");
  EXPECT_EQ(count.sp.text(), "2*n + 1");
  EXPECT_TRUE(count.unknown.empty());
  EXPECT_THAT(count.parameters, ElementsAre("a", "n", "m"));
}

TEST(StaticCount, LoopsInLoopsThatCountDown) {
  const StaticCount count = static_of(
      "mov.u32 %r3, %r1;\nA:\nneg.s32 %r5, %r2;\nB:\nmul.f32 %f1, %f1, %f1;\n"
      "add.s32 %r5, %r5, 1;\nsetp.ne.s32 %p1, %r5, 0;\n@%p1 bra B;\n"
      "add.s32 %r3, %r3, -2;\nsetp.gt.s32 %p2, %r3, 0;\n@%p2 bra A;\nret;\n");
  EXPECT_EQ(count.sp.text(), "ceil((n - 2)/2)*m + m");
  EXPECT_TRUE(count.unknown.empty());
}

TEST(StaticCount, ConditionsOnThreadsAndData) {
  const StaticCount count = static_of(
      "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
      "mad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.s32 %p1, %r6, %r1;\n@%p1 bra E;\n"
      "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nsetp.gt.f32 %p2, %f2, 0f00000000;\n"
      "@%p2 bra E;\nmul.f32 %f3, %f2, %f2;\nmul.f32 %f3, %f3, %f2;\nE:\nret;\n");
  ASSERT_EQ(count.terms.size(), 2U);
  EXPECT_EQ(count.terms[0].flops.sp, 1);
  EXPECT_EQ(count.terms[0].bytes, 4);
  EXPECT_THAT(count.terms[0].when, ElementsAre("blockDim.x*blockIdx.x + threadIdx.x < n"));
  EXPECT_EQ(count.terms[1].flops.sp, 2);
  EXPECT_EQ(count.terms[1].when.size(), 2U);
  EXPECT_EQ(count.unknown.size(), 1U);
  EXPECT_EQ(count.sp.text(), "3");
}

TEST(StaticCount, ALoopThatDataEndsIsNotKnown) {
  const StaticCount count = static_of(
      "L:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nsetp.gt.f32 %p1, %f1, "
      "0f00000000;\n@%p1 bra L;\nret;\n");
  EXPECT_EQ(count.unknown.size(), 1U);
  EXPECT_THAT(count.sp.text(), HasSubstr("trips("));
}

}  // namespace
}  // namespace warpwright::flop
