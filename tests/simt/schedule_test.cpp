// SPDX-License-Identifier: Apache-2.0
// The order in which blocks, warps and lanes get their turns.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "simt/launcher.h"

namespace warpwright::simt {
namespace {

// Each block takes a ticket and writes who it is there; `warps` the same for the warps of a block,
// `lanes` for the lanes of a warp.
constexpr std::string_view kTickets = R"(
.version 8.3
.target sm_80
.address_size 64
.entry blocks(.param .u64 out, .param .u64 count)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [count];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  atom.global.add.u32 %r2, [%rd2], 1;
  mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r3;
done:
  ret;
}
.entry threads(.param .u64 out, .param .u64 count)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [count];
  atom.global.add.u32 %r2, [%rd2], 1;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r3;
  ret;
}
)";

// Block b waits for the block with the ticket before its own, then counts on from what it left.
constexpr std::string_view kChain = R"(
.version 8.3
.target sm_80
.address_size 64
.entry chain(.param .u64 out, .param .u64 count, .param .u32 by_index)
{
  .reg .b64 %rd<8>; .reg .b32 %r<10>; .reg .pred %p<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [count];
  ld.param.u32 %r8, [by_index];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  atom.global.add.u32 %r2, [%rd2], 1;
  mov.u32 %r3, %ctaid.x;
  setp.ne.u32 %p2, %r8, 0;
  selp.u32 %r2, %r3, %r2, %p2;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  mov.u32 %r5, 0;
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra ready;
again:
  ld.acquire.gpu.global.u32 %r5, [%rd4 + -4];
  setp.eq.u32 %p4, %r5, 0;
  @%p4 bra again;
ready:
  add.u32 %r6, %r5, 1;
  st.release.gpu.global.u32 [%rd4], %r6;
done:
  ret;
}
.entry upward(.param .u64 flags)
{
  .reg .b64 %rd<8>; .reg .b32 %r<10>; .reg .pred %p<5>;
  ld.param.u64 %rd1, [flags];
  mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  mov.u32 %r4, %nctaid.x;
  add.u32 %r5, %r3, 1;
  setp.eq.u32 %p1, %r5, %r4;
  @%p1 bra ready;
again:
  ld.acquire.gpu.global.u32 %r6, [%rd4 + 4];
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra again;
ready:
  st.release.gpu.global.u32 [%rd4], 1;
  ret;
}
)";

constexpr std::uint32_t kBlocks = 40;

std::vector<std::uint32_t> tickets(std::string_view kernel, Dim3 grid, Dim3 block,
                                   const Schedule& schedule, Engine engine = Engine::interpreted) {
  Launcher l(kTickets);
  const std::uint64_t n = grid.count() == 1 ? block.count() : grid.count();
  const Address out = l.put(std::vector<std::uint32_t>(n, 999), "out");
  const Address count = l.put(std::vector<std::uint32_t>{0}, "count");
  LaunchOptions options;
  options.schedule = schedule;
  options.engine = engine;
  const LaunchReport r = l.run(kernel, grid, block, Params().add(out).add(count), options);
  EXPECT_TRUE(r.clean()) << r.faults.front().describe();
  return l.get<std::uint32_t>(out, n);
}

std::vector<std::uint32_t> counting(std::uint32_t n) {
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

using Kind = Schedule::Kind;

TEST(ScheduleTest, blocks_start_in_the_order_of_the_schedule) {
  for (const Engine engine : {Engine::interpreted, Engine::compiled}) {
    const auto of = [&](const Schedule& s) {
      return tickets("blocks", {kBlocks}, {64}, s, engine);
    };
    const auto up = counting(kBlocks);
    auto down = up;
    std::reverse(down.begin(), down.end());
    EXPECT_EQ(of({}), up);
    EXPECT_EQ(of({Kind::backward}), down);
    const auto one = of({Kind::shuffled, 7});
    EXPECT_EQ(sorted(one), up);
    EXPECT_NE(one, up);
    EXPECT_EQ(of({Kind::shuffled, 7}), one);
    EXPECT_NE(of({Kind::shuffled, 8}), one);
    // Three at a time: nobody overtakes by more than that.
    const auto few = of({Kind::few, 3, 3});
    EXPECT_EQ(sorted(few), up);
    for (std::uint32_t k = 0; k < kBlocks; ++k) EXPECT_LE(few[k], k + 2);
  }
}

TEST(ScheduleTest, warps_and_lanes_of_atomics_do_so_too) {
  const auto of = [](const Schedule& s) { return tickets("threads", {1}, {128}, s); };
  const auto up = counting(128);
  auto down = up;
  std::reverse(down.begin(), down.end());
  EXPECT_EQ(of({}), up);
  EXPECT_EQ(of({Kind::backward}), down);
  const auto mixed = of({Kind::shuffled, 3});
  EXPECT_EQ(sorted(mixed), up);
  EXPECT_NE(mixed, up);
}

TEST(ScheduleTest, blocks_that_wait_for_earlier_tickets_get_on_under_every_schedule) {
  for (const Engine engine : {Engine::interpreted, Engine::compiled}) {
    for (const Schedule& s : {Schedule{}, Schedule{Kind::backward}, Schedule{Kind::shuffled, 5},
                              Schedule{Kind::few, 5, 2}, Schedule{Kind::few, 9, 1}}) {
      Launcher l(kChain);
      const Address out = l.put(std::vector<std::uint32_t>(kBlocks, 0), "out");
      const Address count = l.put(std::vector<std::uint32_t>{0}, "count");
      LaunchOptions options;
      options.schedule = s;
      options.engine = engine;
      options.max_warp_instructions = 20'000'000;
      const LaunchReport r = l.run("chain", {kBlocks}, {64},
                                   Params().add(out).add(count).add(std::uint32_t{0}), options);
      EXPECT_TRUE(r.clean()) << name_of(s) << ": " << r.faults.front().describe();
      EXPECT_TRUE(r.unchecked.empty());
      EXPECT_EQ(l.get<std::uint32_t>(out, kBlocks)[kBlocks - 1], kBlocks) << name_of(s);
    }
  }
}

TEST(ScheduleTest, blocks_that_wait_for_a_lower_index_get_on_where_blocks_start_when_others_wait) {
  for (const Schedule& s : {Schedule{}, Schedule{Kind::backward}, Schedule{Kind::shuffled, 5},
                            Schedule{Kind::few, 5, 2}}) {
    Launcher l(kChain);
    const Address out = l.put(std::vector<std::uint32_t>(kBlocks, 0), "out");
    const Address count = l.put(std::vector<std::uint32_t>{0}, "count");
    LaunchOptions options;
    options.schedule = s;
    options.max_warp_instructions = 20'000'000;
    const LaunchReport r = l.run("chain", {kBlocks}, {64},
                                 Params().add(out).add(count).add(std::uint32_t{1}), options);
    EXPECT_TRUE(r.clean()) << name_of(s) << ": " << r.faults.front().describe();
  }
}

TEST(ScheduleTest, a_block_that_waits_for_one_that_cannot_start_is_told_so) {
  const auto run = [](const Schedule& s, bool cooperative) {
    Launcher l(kChain);
    const Address flags = l.put(std::vector<std::uint32_t>(kBlocks, 0), "flags");
    LaunchOptions options;
    options.schedule = s;
    options.cooperative = cooperative;
    options.max_warp_instructions = 500'000;
    const LaunchReport r = l.run("upward", {kBlocks}, {32}, Params().add(flags), options);
    return r.clean() ? std::string() : r.faults.front().detail;
  };
  constexpr std::string_view kSays = "blocks have not started";
  EXPECT_NE(run({Kind::few, 1, 4}, false).find(kSays), std::string::npos);
  EXPECT_NE(run({}, false).find(kSays), std::string::npos);
  EXPECT_EQ(run({Kind::shuffled, 3}, false), "");
  EXPECT_EQ(run({}, true), "");
  EXPECT_EQ(run({Kind::few, 1, 4}, true), "");
}

TEST(ScheduleTest, a_grid_that_the_device_surely_holds_may_wait_for_blocks_that_start_later) {
  const auto clean = [](const Schedule& s, std::uint64_t co_resident, std::uint32_t blocks) {
    Launcher l(kChain);
    const Address flags = l.put(std::vector<std::uint32_t>(blocks, 0), "flags");
    LaunchOptions options;
    options.schedule = s;
    options.co_resident = co_resident;
    options.max_warp_instructions = 500'000;
    return l.run("upward", {blocks}, {32}, Params().add(flags), options).clean();
  };
  for (const Schedule& s : {Schedule{}, Schedule{Kind::few, 1, 4}, Schedule{Kind::few, 7, 2}}) {
    EXPECT_TRUE(clean(s, kBlocks, kBlocks)) << name_of(s);
    EXPECT_FALSE(clean(s, kBlocks, kBlocks + 1)) << name_of(s);
  }
}

// Block 0 takes a flag of every other block, which waits for nobody; the flags come back to 0.
// `first` says which block takes.
constexpr std::string_view kTaker = R"(
.version 8.3
.target sm_80
.address_size 64
.entry taker(.param .u64 flags, .param .u32 taking)
{
  .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [flags];
  ld.param.u32 %r4, [taking];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  setp.ne.u32 %p1, %r1, %r4;
  @%p1 bra post;
  mov.u32 %r3, 0;
next:
  setp.eq.u32 %p2, %r3, %r4;
  @%p2 bra taken;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
again:
  atom.global.exch.b32 %r5, [%rd3], 0;
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra again;
taken:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r2;
  @%p2 bra next;
  ret;
post:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  atom.global.exch.b32 %r5, [%rd3], 1;
  ret;
}
// Each of the first blocks waits for one of the last.
.entry pairs(.param .u64 flags, .param .u32 waiting)
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [flags];
  ld.param.u32 %r4, [waiting];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  setp.lt.u32 %p1, %r1, %r4;
  @%p1 bra wait;
  sub.u32 %r3, %r2, %r1;
  sub.u32 %r3, %r3, 1;
  setp.ge.u32 %p2, %r3, %r4;
  @%p2 ret;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  atom.global.exch.b32 %r5, [%rd3], 1;
  ret;
wait:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
again:
  atom.global.exch.b32 %r5, [%rd3], 0;
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra again;
  ret;
}
)";

TEST(ScheduleTest, a_few_blocks_may_wait_for_any_number_of_later_ones_that_do_not_wait) {
  const auto said = [](const Schedule& s, std::uint64_t co_resident, std::uint32_t blocks,
                       std::uint32_t taking) {
    Launcher l(kTaker);
    const Address flags = l.put(std::vector<std::uint32_t>(blocks, 0), "flags");
    LaunchOptions options;
    options.schedule = s;
    options.co_resident = co_resident;
    options.max_warp_instructions = 4'000'000;
    const LaunchReport r = l.run("taker", {blocks}, {1}, Params().add(flags).add(taking), options);
    return r.clean() ? std::string() : r.faults.front().detail;
  };
  const std::uint32_t many = 40 * kBlocks;
  for (const std::uint32_t taking : {0u, kBlocks / 2, many - 1}) {
    for (const Schedule& s : {Schedule{}, Schedule{Kind::backward}, Schedule{Kind::shuffled, 5},
                              Schedule{Kind::few, 1, 3}}) {
      EXPECT_EQ(said(s, kBlocks, many, taking), "") << name_of(s) << ", " << taking;
    }
  }
  for (const std::uint32_t waiting : {1u, 2u, 3u}) {
    for (const std::uint32_t few : {2u, 3u, 4u}) {
      Launcher l(kTaker);
      const Address flags = l.put(std::vector<std::uint32_t>(many, 0), "flags");
      LaunchOptions options;
      options.schedule = {Kind::few, 7, few};
      options.co_resident = kBlocks;
      options.max_warp_instructions = 4'000'000;
      EXPECT_TRUE(l.run("pairs", {many}, {1}, Params().add(flags).add(waiting), options).clean())
          << waiting << " of " << few;
    }
  }
  // A device that holds one block would never start the second.
  EXPECT_NE(said({}, 1, many, 0), "");
  EXPECT_NE(said({Kind::few, 1, 1}, 1, many, 0), "");
}

// What each of these leaves depends on who came first, with nothing that the race checks mind:
// `last` on the order of blocks, `last_warp` on that of warps, `most` on how many blocks are
// resident at once, `turned` on lanes that keep step (with `keeps` they wait for each other).
constexpr std::string_view kOrder = R"(
.version 8.3
.target sm_80
.address_size 64
.entry last(.param .u64 out)
{
  .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  atom.global.exch.b32 %r2, [%rd1], %r1;
  ret;
}
.entry last_warp(.param .u64 out)
{
  .shared .align 4 .b8 cell[4];
  .reg .b64 %rd<2>; .reg .b32 %r<6>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  mov.u32 %r3, cell;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ready;
  st.shared.u32 [%r3], %r1;
ready:
  bar.sync 0;
  atom.shared.exch.b32 %r4, [%r3], %r2;
  bar.sync 0;
  @%p1 bra done;
  ld.shared.u32 %r5, [%r3];
  st.global.u32 [%rd1], %r5;
done:
  ret;
}
.entry most(.param .u64 out)
{
  .reg .b64 %rd<2>; .reg .b32 %r<8>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  atom.global.add.u32 %r2, [%rd1+4], 1;
  add.u32 %r2, %r2, 1;
  atom.global.max.u32 %r3, [%rd1], %r2;
  mov.u32 %r4, 0;
again:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 2000;
  @%p2 bra again;
  atom.global.add.u32 %r5, [%rd1+4], -1;
done:
  ret;
}
.entry turned(.param .u64 out, .param .u32 keeps)
{
  .shared .align 4 .b8 row[128];
  .reg .b64 %rd<4>; .reg .b32 %r<10>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r9, [keeps];
  setp.eq.u32 %p1, %r9, 0;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, row;
  add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  bar.warp.sync 0xffffffff;
  sub.u32 %r5, 124, %r2;
  add.u32 %r5, %r3, %r5;
  ld.shared.u32 %r6, [%r5];
  @%p1 bra go;
  bar.warp.sync 0xffffffff;
go:
  st.shared.u32 [%r4], %r6;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r7, [%r4];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
// Sums by shuffles, votes, a barrier of the block and one of two warps of it.
.entry together(.param .u64 out)
{
  .shared .align 4 .b8 sums[16];
  .reg .b64 %rd<4>; .reg .b32 %r<20>; .reg .pred %p<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  shr.u32 %r3, %r1, 5;
  mov.u32 %r4, %r1;
  shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;
  add.u32 %r4, %r4, %r5;
  shfl.sync.bfly.b32 %r5, %r4, 8, 31, -1;
  add.u32 %r4, %r4, %r5;
  shfl.sync.bfly.b32 %r5, %r4, 4, 31, -1;
  add.u32 %r4, %r4, %r5;
  shfl.sync.bfly.b32 %r5, %r4, 2, 31, -1;
  add.u32 %r4, %r4, %r5;
  shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;
  add.u32 %r4, %r4, %r5;
  setp.gt.u32 %p1, %r2, 11;
  vote.sync.ballot.b32 %r6, %p1, -1;
  popc.b32 %r7, %r6;
  add.u32 %r4, %r4, %r7;
  shl.b32 %r8, %r3, 2;
  mov.u32 %r9, sums;
  add.u32 %r10, %r9, %r8;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra stored;
  st.shared.u32 [%r10], %r4;
stored:
  setp.gt.u32 %p3, %r3, 1;
  @%p3 bra others;
  bar.sync 1, 64;
  ld.shared.u32 %r11, [%r9];
  ld.shared.u32 %r12, [%r9+4];
  add.u32 %r4, %r11, %r12;
others:
  bar.sync 0;
  ld.shared.u32 %r13, [%r9+8];
  ld.shared.u32 %r14, [%r9+12];
  add.u32 %r4, %r4, %r13;
  add.u32 %r4, %r4, %r14;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
}
)";

std::vector<std::uint32_t> left_by(std::string_view kernel, Dim3 grid, Dim3 block,
                                   const Schedule& schedule, std::int64_t keeps = -1) {
  Launcher l(kOrder);
  const Address out = l.put(std::vector<std::uint32_t>(128, 0), "out");
  LaunchOptions options;
  options.schedule = schedule;
  options.max_warp_instructions = 5'000'000;
  Params params;
  params.add(out);
  if (keeps >= 0) params.add(static_cast<std::uint32_t>(keeps));
  const LaunchReport r = l.run(kernel, grid, block, params, options);
  for (const Fault& f : r.faults)
    EXPECT_TRUE(keeps == 0 && f.kind == FaultKind::warp_race)
        << name_of(schedule) << ": " << f.describe();
  EXPECT_TRUE(r.unchecked.empty());
  return l.get<std::uint32_t>(out, 128);
}

/// As many as the judge tries of a small case, and no more.
std::vector<Schedule> others(std::uint64_t seed) {
  return {{Kind::backward}, {Kind::shuffled, seed}, {Kind::few, seed + 1, 2}};
}

TEST(ScheduleTest, what_depends_on_an_order_differs_under_some_schedule) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto differs = [&](std::string_view kernel, Dim3 grid, Dim3 block) {
      const auto forward = left_by(kernel, grid, block, {});
      const auto all = others(seed);
      return std::any_of(all.begin(), all.end(), [&](const Schedule& s) {
        return left_by(kernel, grid, block, s) != forward;
      });
    };
    EXPECT_TRUE(differs("last", {8}, {32})) << seed;
    EXPECT_TRUE(differs("last_warp", {1}, {128})) << seed;
    EXPECT_TRUE(differs("most", {8}, {32})) << seed;
  }
}

TEST(ScheduleTest, lanes_that_do_not_wait_for_each_other_need_not_keep_step) {
  const auto forward = left_by("turned", {1}, {32}, {}, 0);
  EXPECT_EQ(forward[0], 31u);
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    seen += left_by("turned", {1}, {32}, {Kind::shuffled, seed}, 0) != forward ? 1 : 0;
    EXPECT_EQ(left_by("turned", {1}, {32}, {Kind::shuffled, seed}, 1), forward) << seed;
  }
  // Three warps of four fall into groups.
  EXPECT_GE(seen, 10);
}

TEST(ScheduleTest, lanes_that_wait_for_each_other_meet_from_any_groups) {
  const auto forward = left_by("together", {1}, {128}, {});
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(left_by("together", {1}, {128}, {Kind::shuffled, seed}), forward) << seed;
}

TEST(ScheduleTest, names_are_read_and_written) {
  for (const std::string_view text : {"forward", "backward", "shuffled:12", "few:2:9"})
    EXPECT_EQ(name_of(schedule_named(text).value()), text);
  EXPECT_EQ(schedule_named("few:5").value(), (Schedule{Kind::few, 1, 5}));
  for (const std::string_view text : {"", "sideways", "few:0", "shuffled:x", "forward:1"})
    EXPECT_FALSE(schedule_named(text).ok()) << text;
}

}  // namespace
}  // namespace warpwright::simt
