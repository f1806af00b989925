// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for others: who runs meanwhile, and what of it is counted as work.
#include <gtest/gtest.h>

#include "simt/estimate.h"
#include "simt/launcher.h"

namespace warpwright::simt {
namespace {

// Thread 0 of each block waits until `wanted` blocks have come, then writes how many it saw.
constexpr std::string_view kBarrier = R"(
.version 8.3
.target sm_80
.address_size 64
.entry barrier(.param .u64 count, .param .u64 out, .param .u32 wanted)
{
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r3, [wanted];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  membar.gl;
  atom.global.add.u32 %r4, [%rd1], 1;
ask:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r3;
  @%p2 bra ask;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r5;
done:
  ret;
}
// A walk over flags, one after the other: every turn reads another address, and is work.
.entry walk(.param .u64 flags, .param .u64 out, .param .u32 n)
{
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [flags];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
next:
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.volatile.global.u32 %r4, [%rd4];
  add.u32 %r2, %r2, %r4;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, %r3;
  @%p1 bra next;
  st.global.u32 [%rd2], %r2;
  ret;
}
.entry works(.param .u64 flags, .param .u64 out, .param .u32 n)
{
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [flags];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, 0;
  mov.u32 %r2, 1;
next:
  ld.volatile.global.u32 %r4, [%rd1];
  mad.lo.u32 %r2, %r2, 1664525, 1013904223;
  add.u32 %r1, %r1, %r4;
  setp.lt.u32 %p1, %r1, %r3;
  @%p1 bra next;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

// Block 0 collects what the others leave in boxes, two for each of its lanes: the first is looked
// into again in every turn, by lanes that have one; the second no more once it was full.
constexpr std::string_view kBoxes = R"(
.version 8.3
.target sm_80
.address_size 64
.entry boxes(.param .u64 first, .param .u64 second, .param .u64 out, .param .u32 n)
{
  .reg .b64 %rd<10>; .reg .b32 %r<10>; .reg .pred %p<6>;
  ld.param.u64 %rd1, [first];
  ld.param.u64 %rd2, [second];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd5, %rd1, %rd4;
  add.u64 %rd6, %rd2, %rd4;
  mov.u32 %r2, %ctaid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra $leave;
  mov.u32 %r6, 0;
$again:
  mov.u32 %r5, 7;
  setp.ge.u32 %p2, %r1, %r3;
  @%p2 bra $none;
  ld.volatile.global.u32 %r5, [%rd5];
$none:
  setp.ne.u32 %p3, %r6, 0;
  @%p3 bra $full;
  ld.volatile.global.u32 %r6, [%rd6];
$full:
  setp.eq.u32 %p4, %r5, 0;
  setp.eq.or.u32 %p5, %r6, 0, %p4;
  @%p5 bra $again;
  add.u32 %r7, %r5, %r6;
  add.u64 %rd7, %rd3, %rd4;
  st.global.u32 [%rd7], %r7;
  ret;
$leave:
  st.volatile.global.u32 [%rd5], 2;
  st.volatile.global.u32 [%rd6], 3;
  ret;
}
)";

TEST(Waiting, SeveralBoxesMayBeAskedAndAnswersKept) {
  Launcher l(kBoxes);
  const Address first = l.put(std::vector<std::uint32_t>(32), "first");
  const Address second = l.put(std::vector<std::uint32_t>(32), "second");
  const Address out = l.put(std::vector<std::uint32_t>(32), "out");
  const LaunchReport r =
      l.run("boxes", {2}, {32}, Params().add(first).add(second).add(out).add(20u),
            {.checks = Checks::fast});
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(r.may_wait);
  EXPECT_FALSE(r.shares_work);
  EXPECT_EQ(r.waits, 1u);
  const auto got = l.get<std::uint32_t>(out, 32);
  EXPECT_EQ(got[19], 5u);
  EXPECT_EQ(got[20], 10u);
}

// Every block takes the next piece until there is none; `busy` takes numbers too, but its turns are
// counted by itself.
constexpr std::string_view kQueue = R"(
.version 8.3
.target sm_80
.address_size 64
.entry queue(.param .u64 count, .param .u64 out, .param .u32 n)
{
  .shared .align 4 .b8 piece[4];
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
$next:
  bar.sync 0;
  @%p1 bra $wait;
  atom.global.add.u32 %r4, [%rd1], 1;
  st.shared.u32 [piece], %r4;
$wait:
  bar.sync 0;
  ld.shared.u32 %r5, [piece];
  setp.ge.u32 %p2, %r5, %r3;
  @%p2 bra $done;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  @!%p1 st.global.u32 [%rd4], %r5;
  bra $next;
$done:
  ret;
}
.entry busy(.param .u64 count, .param .u64 out, .param .u32 n)
{
  .reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, 0;
$next:
  atom.global.add.u32 %r4, [%rd1], 1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r1;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, %r3;
  @%p1 bra $next;
  ret;
}
)";

TEST(Waiting, WorkThatIsSharedOutIsNobodysOwn) {
  Launcher l(kQueue);
  const Address count = l.put(std::vector<std::uint32_t>(1), "count");
  const Address out = l.put(std::vector<std::uint32_t>(4000), "out");
  LaunchReport r = l.run("queue", {100}, {64}, Params().add(count).add(out).add(4000u),
                         {.checks = Checks::fast});
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(r.shares_work);
  const GpuSpec gpu;
  const double shared = estimate(r, gpu).us;
  r.shares_work = false;
  EXPECT_GT(estimate(r, gpu).us, 4 * shared) << "one block did nearly all";
  const LaunchReport own = l.run(
      "busy", {4}, {1}, Params().add(l.put(std::vector<std::uint32_t>(1), "own")).add(out).add(0u),
      {.checks = Checks::fast});
  EXPECT_FALSE(own.shares_work);
}

std::uint64_t loads(const Counts& c) {
  return c.by_class[static_cast<std::size_t>(OpClass::load_global)].warps;
}

LaunchReport run_barrier(Launcher& l, std::uint32_t blocks, std::uint32_t wanted,
                         LaunchOptions options = {}) {
  const Address count = l.put(std::vector<std::uint32_t>(1), "count");
  const Address out = l.put(std::vector<std::uint32_t>(blocks), "out");
  return l.run("barrier", {blocks}, {64}, Params().add(count).add(out).add(wanted),
               std::move(options));
}

TEST(Waiting, InARunForItsTimeABlockThatOnlyAsksLetsLaterOnesStart) {
  Launcher l(kBarrier);
  const LaunchReport r = run_barrier(l, 200, 200, {.checks = Checks::fast, .threads = 2});
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(r.may_wait);
  EXPECT_FALSE(r.stuck);
  EXPECT_GT(r.waits, 100u);
  EXPECT_EQ(r.most_waits, 1u);
}

TEST(Waiting, WhatIsAskedAgainIsToldApart) {
  Launcher l(kBarrier);
  const LaunchReport r = run_barrier(l, 64, 64, {.checks = Checks::fast});
  EXPECT_GE(loads(r.counts), 64u * 2);
  EXPECT_EQ(loads(r.counts) - loads(r.asking), 64u);
  EXPECT_LT(r.counts.longest_warp, 40u);
}

TEST(Waiting, EstimatesDoNotDependOnHowOftenSomebodyAsks) {
  const GpuSpec gpu;
  Launcher l(kBarrier);
  const Estimate alone = estimate(run_barrier(l, 128, 1, {.checks = Checks::fast}), gpu);
  const Estimate waits = estimate(run_barrier(l, 128, 128, {.checks = Checks::fast}), gpu);
  EXPECT_GT(waits.us, alone.us);
  EXPECT_LT(waits.us, alone.us + 3);
}

TEST(Waiting, ASampleWhoseBlocksWaitForOthersEndsSoon) {
  Launcher l(kBarrier);
  const LaunchReport r =
      run_barrier(l, 64, 64, {.checks = Checks::fast, .only_blocks = {0, 1, 2, 3}});
  EXPECT_TRUE(r.stuck);
  EXPECT_TRUE(r.clean());
  EXPECT_LT(r.counts.warp_instructions(), 200'000u);
}

TEST(Waiting, TurnsThatReadOtherAddressesAreWork) {
  Launcher l(kBarrier);
  const Address flags = l.put(std::vector<std::uint32_t>(1000, 1), "flags");
  const Address out = l.put(std::vector<std::uint32_t>(1), "out");
  const LaunchReport r = l.run("walk", {1}, {1}, Params().add(flags).add(out).add(1000u));
  EXPECT_TRUE(r.clean());
  EXPECT_FALSE(r.may_wait);
  EXPECT_EQ(loads(r.asking), 0u);
  EXPECT_EQ(l.get<std::uint32_t>(out, 1)[0], 1000u);
}

// Else a kernel could do its work beside a question whose answer it knows, and call it waiting.
TEST(Waiting, TurnsWhoseResultsAreUsedAreWork) {
  Launcher l(kBarrier);
  const Address flags = l.put(std::vector<std::uint32_t>(1, 1), "flags");
  const Address out = l.put(std::vector<std::uint32_t>(1), "out");
  const LaunchReport r = l.run("works", {1}, {1}, Params().add(flags).add(out).add(1000u));
  EXPECT_TRUE(r.clean());
  EXPECT_EQ(loads(r.asking), 0u);
  EXPECT_GT(r.counts.longest_warp, 5000u);
}

}  // namespace
}  // namespace warpwright::simt
