// SPDX-License-Identifier: Apache-2.0
#include "build/device_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build/plan_fit.h"
#include "build/signature.h"
#include "ptx/variables.h"
#include "support/places.h"
#include "workbench.h"

namespace warpwright::build {
namespace {

using testing::HasSubstr;

ptx::Entry entry(std::string name) { return {.name = std::move(name)}; }

std::vector<std::string> kinds(const std::vector<ptx::CensusRow>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.kind);
  return names;
}

TEST(KernelFunction, InstancesOfATemplateAreOneAndOverloadsAreTwo) {
  EXPECT_EQ(kernel_function(entry("_Z1kIfLi1EEvPKT_PS0_i")), "k");
  EXPECT_EQ(kernel_function(entry("_Z1kIdLi2EEvPKT_PS0_i")), "k");
  EXPECT_NE(kernel_function(entry("_Z1kPf")), kernel_function(entry("_Z1kPi")));
  EXPECT_EQ(kernel_function(entry("plain_c")), "plain_c");
  EXPECT_EQ(kernel_function(entry("_ZN12_GLOBAL__N_12k2IfEEvPT_")), "(anonymous namespace)::k2");
  EXPECT_NE(kernel_function(entry("_ZN1n1kIfEEvPT_")), kernel_function(entry("_Z1kIfEvPT_")));
}

TEST(KernelFunction, LibrariesAreKnownByTheirNamespace) {
  EXPECT_TRUE(is_library_kernel(entry("_ZN3cub17CUB_200700_900_NS11EmptyKernelIvEEvv")));
  EXPECT_TRUE(is_library_kernel(entry("_ZN6thrust1kEPf")));
  EXPECT_FALSE(is_library_kernel(entry("_Z1kPf")));
  EXPECT_FALSE(is_library_kernel(entry("_ZN4mine3cubEPf")));
}

TEST(DeviceRules, StrictCountsFunctionsNotInstances) {
  const DeviceRules strict{};
  const std::vector<ptx::Entry> instances = {entry("_Z1kIfEvPT_"), entry("_Z1kIdEvPT_"),
                                             entry("_ZN3cub1x11EmptyKernelIvEEvv")};
  EXPECT_FALSE(broken_by_code(strict, instances, {}));
  const std::vector<ptx::Entry> two = {entry("_Z1aPf"), entry("_Z1bPf")};
  const auto broken = broken_by_code(strict, two, {});
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->rule, "one_kernel");
  EXPECT_THAT(broken->message, HasSubstr("there are 2: a(float*), b(float*)"));
  EXPECT_TRUE(broken_by_code(strict, {}, {}));
  EXPECT_FALSE(broken_by_code({.one_kernel = false}, two, {}));
}

TEST(DeviceRules, PlansMustNotUseLibrariesOrCopies) {
  const std::vector<ptx::Entry> entries = {entry("_Z1aPf"), entry("_ZN3cub1bEPf")};
  LaunchPlan plan;
  KernelLaunch launch;
  launch.kernel = "_Z1aPf";
  plan.steps.emplace_back(launch);
  EXPECT_FALSE(broken_by_plan({}, entries, plan));
  launch.kernel = "_ZN3cub1bEPf";
  plan.steps.emplace_back(launch);
  EXPECT_EQ(broken_by_plan({}, entries, plan)->rule, "one_kernel");
  EXPECT_FALSE(broken_by_plan({.one_kernel = false}, entries, plan));
  plan.steps.emplace_back(DeviceCopy{});
  EXPECT_FALSE(broken_by_plan({.one_kernel = false}, entries, plan));
  EXPECT_EQ(broken_by_plan({.one_kernel = false, .no_copy_call = true}, entries, plan)->rule,
            "no_copy_call");
}

TEST(DeviceRules, FollowTheTask) {
  Task task;
  task.arguments = {{"x", ElementType::f32}};
  EXPECT_TRUE(device_rules(task, "").full_precision);
  EXPECT_TRUE(device_rules(task, "").one_kernel);
  EXPECT_FALSE(device_rules(task, "free").one_kernel);
  task.rules = {"mixed_precision", "no_copy_call"};
  EXPECT_FALSE(device_rules(task, "").full_precision);
  EXPECT_TRUE(device_rules(task, "").no_copy_call);
  task.rules.clear();
  task.arguments.push_back({"y", ElementType::f16});
  EXPECT_FALSE(device_rules(task, "").full_precision);
}

TEST(PtxCensus, SeesEveryKindWithItsLine) {
  const auto of = [](std::string_view instruction) {
    const std::string ptx = ".version 8.3\n.visible .entry k()\n{\n.loc 2 7 1\n.loc 1 12 3\n" +
                            std::string(instruction) + ";\n}\n.file 1 \"/a/candidate.cu\"\n" +
                            ".file 2 \"/a/other.h\"\n";
    const auto rows = ptx::census_of(ptx, "candidate.cu");
    return rows.empty() || rows[0].line != 12 ? std::string("nothing") : rows[0].kind;
  };
  EXPECT_EQ(of("cvt.rn.f16.f32 %rs1, %f1"), "to_f16");
  EXPECT_EQ(of("@%p1 cvt.rn.bf16x2.f32 %r1, %f1, %f2"), "to_bf16");
  EXPECT_EQ(of("cvt.rna.tf32.f32 %r1, %f1"), "to_tf32");
  EXPECT_EQ(of("cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2"), "to_f8");
  EXPECT_EQ(of("cvt.f32.f16 %f1, %rs1"), "from_low");
  EXPECT_EQ(of("{fma.rn.f16x2 %r1,%r2,%r3,%r4; }"), "f16_arithmetic");
  EXPECT_EQ(of("red.global.add.noftz.bf16x2 [%rd1], %r1"), "bf16_arithmetic");
  EXPECT_EQ(of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f1}"),
            "tensor_tf32");
  EXPECT_EQ(of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r2}, {%f1}"),
            "tensor_f16");
  EXPECT_EQ(of("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f1}, %rd1, %rd2, 1"),
            "tensor_f8");
  EXPECT_EQ(of("ld.global.L2::evict_last.f32 %f1, [%rd1]"), "cache_pinning");
  EXPECT_EQ(of("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0"), "cache_pinning");
  EXPECT_EQ(of("mov.u64 %rd1, %globaltimer"), "clock");
  for (const std::string_view place :
       {"%smid", "%nsmid", "%gridid", "%warpid", "%nwarpid", "%pm0", "%pm3_64", "%envreg0",
        "%envreg17", "%reserved_smem_offset_0"})
    EXPECT_EQ(of("mov.u32 %r1, " + std::string(place)), "place") << place;
  // The workspace of a cooperative grid, and what every kernel may ask for.
  for (const std::string_view other : {"%envreg1", "%envreg2", "%tid.x", "%laneid", "%lanemask_lt",
                                       "%dynamic_smem_size", "%nctaid.y", "%pmax1"})
    EXPECT_EQ(of("mov.u32 %r1, " + std::string(other)), "nothing") << other;
  EXPECT_EQ(of("call.uni (retval0), malloc, (param0)"), "device_heap");
  EXPECT_EQ(of("{ .global .u32 memo; }"), "hidden_state");
}

TEST(PtxCensus, BlanksAndCommentsHideNothing) {
  // ptxas takes each of these.
  const auto of = [](std::string_view instruction) {
    const auto rows =
        ptx::census_of(".entry k()\n{\n" + std::string(instruction) + "\n}\n", "candidate.cu");
    return rows.size() == 1 ? rows[0].kind + " " + rows[0].example : std::string("nothing");
  };
  EXPECT_EQ(of("cvt.rn .f16 .f32 %rs1, %f1;"), "to_f16 cvt.rn.f16.f32");
  EXPECT_EQ(of("@%p1 cvt // x\n .rn\f.f16/* .f64 */.f32 %rs1, %f1;"), "to_f16 cvt.rn.f16.f32");
  EXPECT_EQ(of("L: add .f16 %rs1, %rs1, %rs1;"), "f16_arithmetic add.f16");
  EXPECT_EQ(of("mma .sync .aligned .m16n8k8 .row .col .f32 .tf32 .tf32 .f32 {%f1}, {%r1};"),
            "tensor_tf32 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  EXPECT_EQ(of("ld .global .L2::cache_hint .f32 %f1, [%rd1], %rd2;"),
            "cache_pinning ld.global.L2::cache_hint.f32");
  EXPECT_EQ(of("mov .u64 %rd1, /* */ %globaltimer;"), "clock %globaltimer");
  // Modifiers may stand behind the types, and directives may be glued to each other.
  EXPECT_EQ(of("cvt.f16.f32.rn %rs1, %f1;"), "to_f16 cvt.f16.f32.rn");
  EXPECT_EQ(of("cvt.tf32.f32.rna %r1, %f1;"), "to_tf32 cvt.tf32.f32.rna");
  EXPECT_EQ(of("cvt.f32.f16.sat %f1, %rs1;"), "from_low cvt.f32.f16.sat");
  EXPECT_EQ(of(".global.u32 memo;"), "hidden_state .global");
  EXPECT_EQ(of(".loc 1 2 0x3.global.u32 memo;"), "hidden_state .global");
  EXPECT_EQ(of("ld .global .f32 %f1, [%rd1];"), "nothing");
  EXPECT_EQ(of(".pragma \"add .f16\"; // add .f16\n"), "nothing");
}

TEST(PtxCensus, OnlyTheLibrarysWaitsMayReadAClock) {
  const std::string files =
      "}\n.file 1 \"/a/candidate.cu\"\n.file 2 \"/t/include/cccl/cuda/std/__cuda/chrono.h\"\n"
      ".file 3 \"/t/include/cccl/cuda/std/__thread/threading_support.h\"\n"
      ".file 4 \"/t/include/cccl/cuda/__ptx/instructions/generated/get_sreg.h\"\n";
  const auto reads = [&](const std::string& body) {
    const auto rows = ptx::census_of(".entry k()\n{\n" + body + files, "candidate.cu");
    return rows.empty() ? 0 : rows[0].count;
  };
  const std::string read = "mov.u64 %rd1, %globaltimer;\n";
  const std::string wait = ".loc 2 44 5, function_name $L__info_string1, inlined_at 3 65 5\n";
  EXPECT_EQ(reads(wait + read), 0);
  EXPECT_EQ(reads(wait + read + wait + read), 0);
  // The library's clock called from elsewhere, and other files of the library.
  EXPECT_EQ(reads(".loc 2 44 5, function_name $L__info_string1, inlined_at 1 7 3\n" + read), 1);
  EXPECT_EQ(reads(".loc 4 9 5, function_name $L__info_string1, inlined_at 1 7 3\n" + read), 1);
  EXPECT_EQ(reads(".loc 4 9 5, function_name $L__info_string1, inlined_at 3 65 5\n" + read), 1);
  EXPECT_EQ(reads(".loc 2 44 5\n" + read), 1);
  EXPECT_EQ(reads(wait + read + read), 1);
  EXPECT_EQ(reads(wait + ".loc 1 8 1\n" + read), 1);
  EXPECT_EQ(reads(wait + "mov.u64 %rd1, %clock64;\n"), 1);
}

TEST(PtxEntries, GluedDirectivesAreReadLikeOthers) {
  const auto entries = ptx::entries_of(
      ".visible.entry first(.param.u64 p,.param.align 8.b8 q[16]) {\n"
      ".shared.align 4 .b8 tile[64]; ld .shared .f32 %f1, [tile]; ret; }\n"
      ".entry second.maxntid 32 { ret; }\n");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, "first");
  EXPECT_EQ((*entries)[0].parameter_bytes, 24U);
  EXPECT_EQ((*entries)[0].shared_bytes, 64);
  EXPECT_EQ((*entries)[1].name, "second");
  EXPECT_EQ((*entries)[1].max_threads, 32);
}

TEST(PtxCensus, HonestCodeHasNothingToReport) {
  const std::string ptx =
      ".global .align 4 .u32 counter;\n.const .align 4 .b8 table[16] = {1, 2};\n"
      ".extern .func (.param .b64 r) malloc (.param .b64 p);\n"
      ".visible .entry k(.param .u64 .ptr .global .align 4 p)\n{\n"
      "// cvt.rn.f16.f32\n/* mma.sync */ cvt.rn.f32.s32 %f1, %r1;\n"
      "cvt.f64.f32 %fd1, %f1;\nld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1}, [%rd1];\n"
      "ld.global.L1::evict_last.f32 %f1, [%rd1];\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
      "mov.b16 %rs1, 3;\nst.global.cs.f32 [%rd1], %f1;\natom.global.add.f32 %f1, [%rd1], %f1;\n}\n";
  EXPECT_THAT(ptx::census_of(ptx, "candidate.cu"), testing::IsEmpty());
}

TEST(SassCensus, CountsArithmeticAndNotConstants) {
  const auto rows = ptx::sass_census(
      "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
      "        /*0010*/                   HFMA2.MMA R5, -RZ, RZ, 0, 0 ;\n"
      "        /*0020*/              @!P0 HMMA.1688.F32.TF32 R4, R8, R10, R4 ;\n"
      "        /*0030*/                   F2FP.F16.F32.PACK_AB R0, RZ, R2 ;\n"
      "        /*0040*/                   HADD2 R0, R0.H0_H0, R3.H0_H0 ;\n"
      "        /*0050*/                   HMMA.1688.F32.TF32 R4, R8, R10, R4 ;\n"
      "        /*0060*/                   FFMA R4, R8, R10, R4 ;\n");
  EXPECT_THAT(kinds(rows), testing::ElementsAre("tensor_tf32", "to_f16", "f16_arithmetic"));
  EXPECT_EQ(rows[0].count, 2);
  EXPECT_EQ(ptx::describe({rows[0]}), "2 tensor-core products of TF32 (HMMA.1688.F32.TF32)");
}

TEST(ModuleVariables, AreFoundHoweverTheyAreWritten) {
  const auto variables = ptx::module_variables(
      ".visible .global .align 4 .b8 table[12] = {1, 2, 3};\n.global .u64 a, b[2];"
      ".const\n.f32 c; .visible .entry k(.param .u64 .ptr .global .align 4 p) { .reg .u32 %r; }");
  ASSERT_EQ(variables.size(), 4U);
  EXPECT_EQ(variables[0].bytes, 12U);
  EXPECT_EQ(variables[1].name, "a");
  EXPECT_EQ(variables[2].bytes, 16U);
  EXPECT_EQ(variables[3].name, "c");
  const auto glued = ptx::module_variables(".visible.global.u32 d;.const.f32 e[2];");
  ASSERT_EQ(glued.size(), 2U);
  EXPECT_EQ(glued[0].name, "d");
  EXPECT_EQ(glued[1].bytes, 8U);
}

TEST(PlanFits, OnlyWhatTheProgramCouldHaveAskedFor) {
  BuildOutcome built;
  built.ptx = ".global .u32 counter;";
  built.entries = {{.name = "k", .parameters = {{0, 8}, {8, 4}}, .parameter_bytes = 12}};
  const RecordRequest request{.arguments = {{}, {false, ElementType::i32}}};
  const SolveCall call{{{.buffer_bytes = 64}, {.integer = 16}}};
  const auto fits = [&](const LaunchPlan& plan) { return plan_fits(plan, built, request, call); };
  LaunchPlan plan;
  plan.buffers = {{.kind = BufferKind::argument, .argument = 0, .bytes = 64},
                  {.kind = BufferKind::symbol, .symbol = "counter", .bytes = 4}};
  KernelLaunch launch;
  launch.kernel = "k";
  launch.parameters = std::string(12, '\0');
  launch.parameter_offsets = {0, 8};
  plan.steps.emplace_back(launch);
  EXPECT_TRUE(fits(plan).ok());
  const auto refused = [&](auto change) {
    LaunchPlan other = plan;
    change(other);
    return !fits(other).ok();
  };
  EXPECT_TRUE(refused([](auto& p) { p.buffers[0].argument = 1; })) << "a scalar";
  EXPECT_TRUE(refused([](auto& p) { p.buffers[0].argument = 7; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[0].bytes = 1 << 20; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[1].symbol = "other"; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[1].bytes = 8; }));
  EXPECT_TRUE(refused([](auto& p) { std::get<KernelLaunch>(p.steps[0]).kernel = "x"; }));
  EXPECT_TRUE(refused([](auto& p) { std::get<KernelLaunch>(p.steps[0]).parameters += "x"; }));
  EXPECT_TRUE(refused([](auto& p) {
    std::get<KernelLaunch>(p.steps[0]).parameter_offsets = {0, 4};
  }));
}

class RealCensus : public Workbench {};

/// What the compilers make of ways to write an instruction, and of the library's clocks.
TEST_F(RealCensus, FindsWhatTheZooHides) {
  struct Row {
    std::string member;
    FrontEnd front_end;
    std::string kind;
  };
  for (const Row& row : {Row{"fp16_spaced", FrontEnd::clang, "to_f16"},
                         Row{"fp16_reordered", FrontEnd::clang, "to_f16"},
                         Row{"tf32_spaced", FrontEnd::clang, "tensor_tf32"},
                         Row{"memo_hidden_glued", FrontEnd::clang, "hidden_state"},
                         Row{"clock_of_the_library", FrontEnd::nvcc, "clock"}}) {
    if (lacks(row.front_end)) continue;
    const auto source = read_file(source_path("/tests/cheats/") + row.member + ".cu");
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto built = build(request(*source, row.front_end));
    ASSERT_EQ(built.verdict, Verdict::ok) << row.member << ": " << built.reason;
    EXPECT_THAT(kinds(built.census), testing::Contains(row.kind)) << row.member;
  }
}

class Signature : public Workbench {
 protected:
  static BuildOutcome built(const std::string& source, FrontEnd front_end) {
    BuildRequest wanted = request(source, front_end);
    wanted.signature = "extern \"C\" void solve(const float* x, float* y, int n)";
    return build(wanted);
  }
};

TEST_F(Signature, AnotherOneIsACompileErrorThatNamesIt) {
  const std::string kernel = "__global__ void k(float* y) { y[0] = 1; }\n";
  const std::string body = " { k<<<1, 1>>>((float*)y); }\n";
  for (const FrontEnd front_end : {FrontEnd::clang, FrontEnd::nvcc}) {
    if (lacks(front_end)) continue;
    const auto good = built(kernel +
                                "extern \"C\" void solve(const float* __restrict__ a, float* "
                                "y, const int n)" +
                                body,
                            front_end);
    EXPECT_EQ(good.verdict, Verdict::ok) << good.reason;
    std::vector<std::string> heads = {
        "extern \"C\" void solve(float* x, float* y, int n)",
        "extern \"C\" void solve(const float* x, float* y, size_t n)",
        "extern \"C\" int solve(const float* x, float* y, int n)",
        "#define float double\nextern \"C\" void solve(const float* x, float* y, int n)",
        "#define solve other\nextern \"C\" void solve(const double* x, double* y, int n)"};
    if (front_end == FrontEnd::nvcc) heads.erase(heads.begin() + 1);  // slow, and like the first
    for (const std::string& head : heads) {
      const auto outcome = built(kernel + head + body, front_end);
      EXPECT_EQ(outcome.verdict, Verdict::compile_error) << head;
      EXPECT_THAT(outcome.reason,
                  HasSubstr("must be: extern \"C\" void solve(const float* x, float* y, int n)"))
          << name_of(front_end) << ": " << head;
    }
  }
}

}  // namespace
}  // namespace warpwright::build
