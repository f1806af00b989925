// SPDX-License-Identifier: Apache-2.0
// Ends of local variables from nvcc's build for debuggers (build/local_ends.h).
#include "build/local_ends.h"

#include <gmock/gmock.h>

#include "build/workbench.h"

namespace warpwright::build {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A function with variables at 0 and at 128 of its frame, `body` behind its begin, and the rows of
/// the tables for debuggers that say where they lie.
std::string debug_ptx(const std::string& body) {
  return R"(.version 9.0
.target sm_90, debug
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.local .align 16 .b8 	__local_depot0[192];
	.reg .b64 	%SP;
	.reg .b64 	%SPL;
	.reg .pred 	%p<3>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<9>;
	mov.u64 	%SPL, __local_depot0;
	cvta.local.u64 	%SP, %SPL;
)" + body +
         R"(	ret;
}
	.section	.debug_info
	{
.b8 11
.b8 3
.b64 __local_depot0
.b8 35
.b8 0
.b8 12
.b8 3
.b64 __local_depot0
.b8 35
.b8 128,1
	}
)";
}

std::string checked(const std::string& body) { return with_local_ends(debug_ptx(body)).value(); }

TEST(LocalEnds, AnAccessIsHeldAgainstTheVariableOfItsAddress) {
  const std::string text = checked(R"(	mov.u32 %r1, %laneid;
	cvt.s64.s32 %rd1, %r1;
	shl.b64 %rd2, %rd1, 3;
	add.u64 %rd3, %SP, 0;
	add.s64 %rd4, %rd3, %rd2;
	st.u64 [%rd4+8], %rd1;
)");
  EXPECT_THAT(text, HasSubstr("sub.s64 %ww_at, %rd4, %SP;\n\tadd.s64 %ww_at, %ww_at, 8;\n"
                              "\tsetp.ge.u64 %ww_past, %ww_at, 121;\n\t@%ww_past trap;\n"
                              "\tst.u64 [%rd4+8], %rd1;"));
  EXPECT_THAT(text, HasSubstr(".reg .pred %ww_past;"));
  EXPECT_THAT(text, Not(HasSubstr(".section"))) << "tables of debuggers are left out";
}

TEST(LocalEnds, TheLastVariableEndsWithTheFrame) {
  EXPECT_THAT(checked("\tadd.u64 %rd3, %SPL, 128;\n\tadd.s64 %rd4, %rd3, %rd1;\n"
                      "\tld.local.v2.u32 {%r1, %r2}, [%rd4];\n"),
              HasSubstr("sub.s64 %ww_at, %rd4, %SPL;\n\tadd.s64 %ww_at, %ww_at, -128;\n"
                        "\tsetp.ge.u64 %ww_past, %ww_at, 57;\n"));
}

TEST(LocalEnds, AGuardIsAGuardOfTheCheck) {
  EXPECT_THAT(checked("\tadd.u64 %rd3, %SP, 0;\n\tsetp.eq.s32 %p1, %r1, 0;\n"
                      "\t@!%p1 st.u32 [%rd3], %r1;\n"),
              HasSubstr("setp.ge.and.u64 %ww_past, %ww_at, 125, !%p1;"));
}

/// A pointer may go through its variable in a loop; it stays that variable's.
TEST(LocalEnds, PointersAreFollowedAroundLoops) {
  EXPECT_THAT(checked("\tadd.u64 %rd3, %SP, 0;\n\tmov.u64 %rd4, %rd3;\nL:\n"
                      "\tst.u32 [%rd4], %r1;\n\tadd.s64 %rd5, %rd4, 4;\n\tmov.u64 %rd4, %rd5;\n"
                      "\tbra.uni L;\n"),
              HasSubstr("sub.s64 %ww_at, %rd4, %SP;"));
}

TEST(LocalEnds, WhatCannotBeToldIsLeftAlone) {
  const std::string two = "\tadd.u64 %rd3, %SP, 0;\n\tadd.u64 %rd4, %SP, 128;\n";
  EXPECT_EQ(checked(two + "\tselp.b64 %rd5, %rd3, %rd4, %p1;\n\tst.u32 [%rd5], %r1;\n"), "");
  EXPECT_EQ(checked(two + "\tmov.u64 %rd5, %rd3;\n\tmov.u64 %rd5, %rd4;\n\tst.u32 [%rd5], %r1;\n"),
            "");
  EXPECT_EQ(checked(two + "\txor.b64 %rd5, %rd3, %rd4;\n\tst.u32 [%rd5], %r1;\n"), "");
  EXPECT_EQ(checked("\tadd.u64 %rd3, %SP, 64;\n\tst.u32 [%rd3], %r1;\n"), "")
      << "no variable begins there";
  EXPECT_EQ(checked("\tld.param.u64 %rd3, [k_param_0];\n\tst.u32 [%rd3], %r1;\n"), "");
  EXPECT_EQ(checked("\tst.u32 [%SP+8], %r1;\n"), "") << "a constant place";
}

TEST(LocalEnds, OtherTextIsAnErrorOrNothing) {
  EXPECT_FALSE(with_local_ends("this is no PTX").ok());
  EXPECT_EQ(with_local_ends("").value(), "");
}

class LocalEndsByNvcc : public Workbench {};

constexpr std::string_view kPastItsEnd = R"(#include <cuda_runtime.h>
__global__ void k(const float* x, float* y, int n, int past) {
  volatile float a[8], b[8];
  for (int i = 0; i < 8; ++i) a[i] = b[i] = x[i];
  y[threadIdx.x] = a[threadIdx.x % 8 + past] + b[n % 8];
}
extern "C" void solve(const float* x, float* y, int n) { k<<<1, 32>>>(x, y, n, 0); }
)";

/// A host with nvcc and without clang has the checks, too.
TEST_F(LocalEndsByNvcc, AreKnownWithoutClang) {
  if (lacks(FrontEnd::nvcc)) return;
  Toolchain tools = find_toolchain();
  tools.clang = {};
  const auto box = sandbox::Sandbox::open();
  ASSERT_TRUE(box.ok()) << box.error().message;
  const auto folder = TemporaryDirectory::create("warpwright-test-").value();
  const auto builder = Builder::create(*box, tools, {.cache = folder.path()});
  ASSERT_TRUE(builder.ok()) << builder.error().message;
  const auto built = builder->build(request(std::string(kPastItsEnd), FrontEnd::nvcc));
  ASSERT_TRUE(built.ok()) << built.error().message;
  ASSERT_EQ(built->verdict, Verdict::ok) << built->reason;
  EXPECT_THAT(built->bounds_ptx, HasSubstr("@%ww_past trap"));
}

}  // namespace
}  // namespace warpwright::build
