// SPDX-License-Identifier: Apache-2.0
#include "flops/implicit.h"

#include <gmock/gmock.h>

namespace warpwright::flop {
namespace {

// A loop with a division (10) and an addition (1), behind a root (6): the division is 2,560 of
// 256 * 11 + 6 = 2,822 FLOPs, the root too little to tell.
constexpr const char* kLoop = R"(.version 8.3
.target sm_80
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .f32 %f<20>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	.reg .pred %p<2>;
	.loc 1 3 1
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	ld.global.f32 %f1, [%rd1];
	.loc 1 4 1
	sqrt.rn.f32 %f2, %f1;
	mov.u32 %r2, 0;
$loop:
	.loc 1 6 1
	div.rn.f32 %f3, %f2, %f1;
	.loc 1 7 1
	add.f32 %f2, %f3, %f1;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p1, %r2, %r1;
	@%p1 bra $loop;
	st.global.f32 [%rd1], %f2;
	ret;
}
)";

TEST(Implicit, NamesADivisionInALoop) {
  const auto costs = implicit_costs(kLoop);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].what, "division");
  EXPECT_EQ(costs[0].line, 6);
  EXPECT_TRUE(costs[0].in_loop);
  EXPECT_EQ(costs[0].flops.sp, 10);
  // 256 * 10 of 256 * 11 + 6.
  EXPECT_NEAR(costs[0].share, 2560.0 / 2822, 1e-9);
  EXPECT_EQ(sentence_of(costs[0]),
            "division costs 10 FLOPs each time, in a loop (about 91 % of the kernel's)");
}

TEST(Implicit, SaysNothingOfOtherTexts) {
  EXPECT_TRUE(implicit_costs("").empty());
  EXPECT_TRUE(implicit_costs("no PTX at all {").empty());
}

}  // namespace
}  // namespace warpwright::flop
