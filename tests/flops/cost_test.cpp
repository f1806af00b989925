// SPDX-License-Identifier: Apache-2.0
#include "flops/cost.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "flops/count.h"
#include "flops/folding.h"
#include "flops/messages.h"
#include "flops/program.h"
#include "flops/selects.h"
#include "flops/signs.h"
#include "flops/special_operands.h"

namespace warpwright::flop {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(Cost, OneInstructionIsOneOperationOrTwo) {
  EXPECT_EQ(cost_of("add.rn.f32").flops.sp, 1);
  EXPECT_EQ(cost_of("sub.f32").flops.sp, 1);
  EXPECT_EQ(cost_of("mul.ftz.f32").flops.sp, 1);
  EXPECT_EQ(cost_of("fma.rn.f32").flops.sp, 2);
  EXPECT_EQ(cost_of("fma.rn.f64").flops.dp, 2);
  EXPECT_EQ(cost_of("fma.rn.f16x2").flops.half, 4);
  EXPECT_EQ(cost_of("add.s32").flops, Flops{});
  EXPECT_EQ(cost_of("mad.lo.s32").flops, Flops{});
  EXPECT_EQ(cost_of("min.f32").flops, Flops{});
  EXPECT_EQ(cost_of("cvt.rn.f32.s32").flops, Flops{});
  EXPECT_EQ(cost_of("").flops, Flops{});
}

TEST(Cost, SequencesOfTheAssembler) {
  EXPECT_EQ(cost_of("div.rn.f32").flops.sp, 10);
  EXPECT_EQ(cost_of("div.rn.f32").implicit, "division");
  EXPECT_EQ(cost_of("div.rn.f64").flops, (Flops{2, 15, 0, 0}));
  EXPECT_EQ(cost_of("sqrt.rn.f32").flops.sp, 6);
  EXPECT_EQ(cost_of("rcp.approx.ftz.f64").flops, Flops{});
  EXPECT_EQ(cost_of("div.s32").flops, Flops{});
  EXPECT_EQ(cost_of("atom.global.add.f32").flops, Flops{});
  EXPECT_EQ(cost_of("atom.shared.add.f32").flops.sp, 1);
}

TEST(Cost, MatricesByTheirShape) {
  // 16 x 8 x 16 products and sums of a warp.
  EXPECT_EQ(cost_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").flops.tensor * 32,
            2 * 16 * 8 * 16);
  // Four warps share one.
  EXPECT_EQ(cost_of("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16").flops.tensor * 128,
            2 * 64 * 128 * 16);
  EXPECT_EQ(cost_of("wmma.load.a.sync.aligned.row.m16n16k16.f16").flops, Flops{});
}

TEST(Cost, BytesOfGlobalMemory) {
  EXPECT_EQ(bytes_of("ld.global.f32"), 4U);
  EXPECT_EQ(bytes_of("ld.global.nc.v4.f32"), 16U);
  EXPECT_EQ(bytes_of("st.global.v2.b64"), 16U);
  EXPECT_EQ(bytes_of("ld.shared.f32"), 0U);
  EXPECT_EQ(bytes_of("ld.param.u64"), 0U);
  EXPECT_EQ(bytes_of("add.f32"), 0U);
}

TEST(Signs, CostWhereNoInstructionTakesThem) {
  const std::string ptx =
      "{\n"
      "\tneg.f32 \t%f2, %f1;\n"
      "\tst.global.f32 \t[%rd1], %f2;\n"
      "\tneg.f32 \t%f4, %f3;\n"
      "\tmul.rn.f32 \t%f5, %f4, %f6;\n"
      "\tabs.f64 \t%fd2, %fd1;\n"
      "\t@%p1 mov.f64 \t%fd3, %fd2;\n"
      "}\n";
  EXPECT_THAT(signs_that_cost(lines_of(ptx)), UnorderedElementsAre(2U, 6U));
}

TEST(SpecialOperands, AreMarkedBeforeTheInstruction) {
  const std::string marked = with_marks(
      "{\n\tdiv.rn.f64 \t%fd3, %fd1, %fd2;\n\tdiv.rn.f64 \t%fd4, 0d3FF0000000000000, %fd2;\n}\n");
  const CostTable table(marked);
  double dp = 0;
  for (std::uint32_t line = 1; line <= lines_of(marked).size(); ++line) {
    if (const CostTable::Row* row = table.row(line)) dp += row->cost.flops.dp;
  }
  // Two divisions, and what one of them takes more when its numerator is zero.
  EXPECT_EQ(dp, 15 + 15 + 17);
  EXPECT_EQ(mark_cost("\tmov.b32 %r1, 0;").flops, Flops{});
}

// As ptxas writes them: a product that is selected beside a register nobody needs afterwards is
// executed by lanes whose predicate holds; beside a constant, or a register that is stored later,
// by all; of two operations the second is under the predicate.
TEST(Selects, OperationsUnderAPredicate) {
  const std::string ptx =
      "{\n"
      "\tmul.f32 \t%f4, %f1, %f2;\n"
      "\tselp.f32 \t%f5, %f4, %f3, %p1;\n"  // @p1 FMUL
      "\tfma.rn.f32 \t%f6, %f5, %f1, %f2;\n"
      "\tselp.f32 \t%f7, 0f00000000, %f6, %p2;\n"  // FFMA, FSEL
      "\tadd.f32 \t%f8, %f7, %f1;\n"
      "\tselp.f32 \t%f9, %f8, %f10, %p1;\n"  // FADD, FSEL
      "\tst.global.f32 \t[%rd1], %f10;\n"
      "\tadd.f32 \t%f11, %f9, %f1;\n"
      "\tfma.rn.f32 \t%f12, %f9, %f1, %f2;\n"
      "\tselp.f32 \t%f13, %f11, %f12, %p2;\n"  // FADD, @!p2 FFMA
      "\tst.global.f32 \t[%rd2], %f13;\n"
      "}\n";
  // %f3 and %f10 are loaded.
  const std::string loaded =
      "{\n\tld.global.f32 \t%f3, [%rd1];\n\tld.global.f32 \t%f10, [%rd2];\n" + ptx.substr(2);
  const std::string marked = with_marks(loaded);
  const auto lines = lines_of(loaded);
  const auto found = selected_operations(lines);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 4U);
  EXPECT_EQ(found[0].predicate, "%p1");
  EXPECT_FALSE(found[0].negated);
  EXPECT_EQ(found[1].line, 12U);
  EXPECT_TRUE(found[1].negated);
  EXPECT_EQ(found[1].flops, 2);
  // Without marks every operation counts; with them the two count where they are selected.
  const auto sum = [](const CostTable& table, std::size_t lines_there) {
    double sp = 0;
    for (std::uint32_t line = 1; line <= lines_there; ++line) {
      if (const CostTable::Row* row = table.row(line)) sp += row->cost.flops.sp;
    }
    return sp;
  };
  EXPECT_EQ(sum(CostTable(loaded), lines.size()), 1 + 2 + 1 + 1 + 2);
  const CostTable table(marked);
  EXPECT_EQ(sum(table, lines_of(marked).size()), 1 + 2 + 1 + 1 + 2);
  EXPECT_EQ(marked_operations(lines_of(marked)).size(), 2U);
  EXPECT_EQ(mark_cost("\t@%p1 mov.b32 %ww_selected_").flops, Flops{});
}

TEST(Calls, OfTheMathematicalLibraryByName) {
  EXPECT_EQ(call_cost("__nv_expf").flops.sp, 10);
  EXPECT_EQ(call_cost("__nv_no_such").flops, Flops{});
  const CostTable table(
      "{\n"
      "\tcall.uni (retval0), \n"
      "\t__nv_expf, \n"
      "\t(\n"
      "\tparam0\n"
      "\t);\n"
      "\tadd.f32 \t%f1, %f2, %f3;\n"
      "}\n");
  ASSERT_NE(table.row(2), nullptr);
  EXPECT_EQ(table.row(2)->opcode, "__nv_expf");
  EXPECT_EQ(table.row(2)->cost.flops.sp, 10);
  ASSERT_NE(table.row(7), nullptr);
  EXPECT_EQ(table.row(7)->cost.flops.sp, 1);
  EXPECT_EQ(table.row(3), nullptr);
}

TEST(Folding, ConstantsOnly) {
  const std::string ptx =
      "{\n"
      "\tmov.f64 \t%fd1, 0d3FF0000000000000;\n"
      "\tadd.rn.f64 \t%fd2, %fd1, %fd1;\n"
      "\tld.param.f64 \t%fd3, [p];\n"
      "\tmul.f64 \t%fd4, %fd3, %fd2;\n"
      "\tmov.f64 \t%fd5, 0d0000000000000000;\n"
      "$loop:\n"
      "\tadd.f64 \t%fd5, %fd5, %fd1;\n"
      "\tsetp.lt.f64 \t%p1, %fd5, %fd3;\n"
      "\t@%p1 bra \t$loop;\n"
      "}\n";
  EXPECT_THAT(folded_lines(lines_of(ptx)), UnorderedElementsAre(2U, 3U));
}

// Inline assembly names registers of its own, and has braces at the beginning of lines.
TEST(Folding, InlineAssemblyIsNoConstant) {
  const std::string ptx =
      "{\n"
      "\tld.global.f32 \t%f1, [%rd1];\n"
      "{.reg .f16 low;\n"
      "  cvt.rn.f16.f32 low, %f1;\n"
      "  mov.b32 %r1, {low,low};}\n"
      "\t{fma.rn.f16x2 %r3,%r1,%r1,%r1;\n"
      "}\n"
      "\tneg.f32 \t%f2, %f1;\n"
      "{add.rn.f32 %f3, %f1, %f1;\n"
      "}\n"
      "\tst.global.f32 \t[%rd1], %f2;\n"
      "}\n";
  EXPECT_THAT(folded_lines(lines_of(ptx)), UnorderedElementsAre());
  EXPECT_THAT(signs_that_cost(lines_of(ptx)), UnorderedElementsAre(8U));
}

TEST(Texts, LinesBecomeCommentsInPlace) {
  const std::string ptx = "\t.loc\t1 2 3\n\t.local .b8 x[4];\n  .loc 1 4 5\nadd.f32 a, b, c;\n";
  EXPECT_EQ(without_lines(ptx),
            "\t//oc\t1 2 3\n\t.local .b8 x[4];\n  //oc 1 4 5\nadd.f32 a, b, c;\n");
}

TEST(Texts, NamesOfKernels) {
  EXPECT_EQ(plain_name(signature_of("_Z5saxpyifPKfPf")), "saxpy");
  EXPECT_EQ(plain_name("void scale<float>(float*, float)"), "scale");
  EXPECT_EQ(plain_name("void ns::deep<pair<int, int> >(int)"), "deep");
  EXPECT_EQ(plain_name("(anonymous namespace)::hidden(int*)"), "hidden");
  EXPECT_EQ(plain_name("plain"), "plain");
  // Some names of C++20 are more than the demangler knows.
  EXPECT_EQ(plain_name("_Z12block_strideIfTnNSt9enable_ifIXntsr3std4typeELi0EEvjjPS1_"),
            "block_stride");
  EXPECT_EQ(plain_name("_ZN3one3twoIfTnvE"), "two");
  EXPECT_EQ(plain_name("_Z99short"), "_Z99short");
}

TEST(Texts, WhatCompilersAndLinkersLack) {
  EXPECT_THAT(missing_in("a.cu:1:10: fatal error: 'gsl/gsl_rng.h' file not found\n"
                         "b.cpp:2:10: fatal error: mpi.h: No such file or directory\n"
                         "/usr/bin/ld: x.o: undefined reference to `cublasSgemm_v2'\n"
                         "/usr/bin/ld: y.o: undefined reference to `cublasSgemm_v2'\n"
                         "/usr/bin/ld: cannot find -lcufft: No such file or directory\n"),
              ElementsAre("include gsl/gsl_rng.h", "include mpi.h", "function cublasSgemm_v2",
                          "library cufft"));
  EXPECT_THAT(missing_in("a.cu:1: error: expected ';'\n"), ElementsAre());
  // Names of the toolkit that nobody declares are missing; others are the program's mistakes.
  EXPECT_THAT(missing_in("a.cu:4:18: error: use of undeclared identifier 'cudaGraphCreate'\n"
                         "a.cu:5:3: error: unknown type name 'cudaTextureObject_t'\n"
                         "a.cu:6:3: error: use of undeclared identifier 'lenght'\n"
                         "a.cu(7): error: identifier \"cudaBindTexture\" is undefined\n"
                         "a.cu:8:5: error: reference to __global__ function 'child' in __global__ "
                         "function\n"),
              ElementsAre("call cudaGraphCreate", "type cudaTextureObject_t",
                          "call cudaBindTexture", "dynamic parallelism: a kernel launches child"));
  EXPECT_EQ(first_error("note\n/x/y/a.cu:1:2: error: no\n"), "a.cu:1:2: error: no");
}

}  // namespace
}  // namespace warpwright::flop
