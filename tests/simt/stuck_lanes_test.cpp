// SPDX-License-Identifier: Apache-2.0
#include "simt/schedule/stuck_lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launcher.h"
#include "simt/same_report.h"

namespace warpwright::simt {
namespace {

// The loops are left in the middle, so that the branch's lanes meet there, behind the instruction
// that all of them take part in.
constexpr std::string_view kLoops = R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry all_take_part(.param .u64 y, .param .u32 rounds)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r5, [rounds];
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
loop:
  @%p1 bra middle;
  add.s32 %r3, %r3, 5;
  setp.lt.s32 %p2, %r2, %r5;
  @%p2 bra around;
middle:
  setp.ge.s32 %p3, %r2, %r5;
  @%p3 bra done;
around:
  bar.warp.sync -1;
  shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;
  bar.sync 0;
  add.s32 %r2, %r2, 1;
  bra loop;
done:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
}
.visible .entry one_takes_part(.param .u64 y, .param .u32 rounds)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r5, [rounds];
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  mov.u32 %r2, 0;
loop:
  @%p1 bra middle;
  bar.warp.sync -1;
middle:
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p2, %r2, %r5;
  @%p2 bra loop;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

// The barrier behind it would call lanes that still walked apart a divergence.
TEST(StuckLanes, GoOnFromAJoinWhenOthersNameThemAndJoinThem) {
  Launcher l(kLoops);
  const Address y = l.empty(32 * 4, "y");
  for (const std::uint32_t rounds : {1u, 2u, 7u}) {
    const LaunchReport r =
        l.run("all_take_part", {1, 1, 1}, {32, 1, 1}, Params().add(y).add(rounds));
    EXPECT_TRUE(r.faults.empty()) << report_text(r);
    EXPECT_THAT(l.get<std::uint32_t>(y, 32), testing::Each(5 * rounds));
  }
}

TEST(StuckLanes, LanesThatNeverComeAreReported) {
  Launcher l(kLoops);
  const Address y = l.empty(32 * 4, "y");
  const LaunchReport r = l.run("one_takes_part", {1, 1, 1}, {32, 1, 1}, Params().add(y).add(3u));
  ASSERT_FALSE(r.faults.empty());
  EXPECT_EQ(r.faults[0].kind, FaultKind::sync_mask);
  EXPECT_THAT(report_text(r), testing::HasSubstr("names lane 1, which never gets here"));
  EXPECT_THAT(l.get<std::uint32_t>(y, 32), testing::Each(3u));
}

}  // namespace
}  // namespace warpwright::simt
