// SPDX-License-Identifier: Apache-2.0
#include "simt/schedule/wavefronts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launcher.h"

namespace warpwright::simt {
namespace {

using testing::Each;
using testing::IsEmpty;

// votes: every thread stores the ballot of "my number is a multiple of three".
// picks: every thread stores the number of the thread that is one further in its wavefront.
// halves: threads below `limit` take another way first, on which there is a ballot, too.
constexpr std::string_view kKernels = R"(.version 8.3
.target sm_90
.address_size 64
.extern .func (.param .b64 out) ww_wave_ballot (.param .b32 p, .param .b32 width);
.extern .func (.param .b32 out) ww_wave_pick (.param .b32 v, .param .b32 lane, .param .b32 width);
.visible .entry votes(.param .u64 y, .param .u32 width)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r5, [width];
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  setp.eq.u32 %p1, %r2, 0;
  selp.u32 %r3, 1, 0, %p1;
  {
  .param .b32 a0;
  .param .b32 a1;
  .param .b64 r0;
  st.param.b32 [a0], %r3;
  st.param.b32 [a1], %r5;
  call.uni (r0), ww_wave_ballot, (a0, a1);
  ld.param.b64 %rd4, [r0];
  }
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u64 [%rd3], %rd4;
  ret;
}
.visible .entry picks(.param .u64 y, .param .u32 width)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r5, [width];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  {
  .param .b32 a0;
  .param .b32 a1;
  .param .b32 a2;
  .param .b32 r0;
  st.param.b32 [a0], %r1;
  st.param.b32 [a1], %r2;
  st.param.b32 [a2], %r5;
  call.uni (r0), ww_wave_pick, (a0, a1, a2);
  ld.param.b32 %r3, [r0];
  }
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry halves(.param .u64 y, .param .u32 limit)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r5, [limit];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd4, 0;
  setp.ge.u32 %p1, %r1, %r5;
  @%p1 bra together;
  {
  .param .b32 a0;
  .param .b32 a1;
  .param .b64 r0;
  st.param.b32 [a0], 1;
  st.param.b32 [a1], 64;
  call.uni (r0), ww_wave_ballot, (a0, a1);
  ld.param.b64 %rd4, [r0];
  }
together:
  {
  .param .b32 a0;
  .param .b32 a1;
  .param .b64 r0;
  st.param.b32 [a0], 1;
  st.param.b32 [a1], 64;
  call.uni (r0), ww_wave_ballot, (a0, a1);
  ld.param.b64 %rd5, [r0];
  }
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u64 [%rd3], %rd4;
  st.global.u64 [%rd3+8], %rd5;
  ret;
}
)";

LaunchOptions by(Engine engine) {
  LaunchOptions options;
  options.engine = engine;
  return options;
}

TEST(Wavefronts, BallotsHaveABitForEveryLane) {
  Launcher l(kKernels);
  for (const Engine engine : {Engine::interpreted, Engine::automatic}) {
    for (const std::uint32_t width : {32u, 64u}) {
      const Address y = l.empty(160 * 8, "y");
      const LaunchReport r =
          l.run("votes", {1, 1, 1}, {160, 1, 1}, Params().add(y).add(width), by(engine));
      EXPECT_THAT(r.faults, IsEmpty());
      const auto got = l.get<std::uint64_t>(y, 160);
      for (std::uint32_t t = 0; t < 160; ++t) {
        const std::uint32_t first = t / width * width;
        std::uint64_t expected = 0;
        for (std::uint32_t k = first; k < std::min(first + width, 160u); ++k)
          if (k % 3 == 0) expected |= std::uint64_t{1} << (k - first);
        EXPECT_EQ(got[t], expected) << "thread " << t << ", wavefronts of " << width;
      }
    }
  }
}

TEST(Wavefronts, LanesReadTheOtherHalf) {
  Launcher l(kKernels);
  for (const std::uint32_t width : {32u, 64u}) {
    const Address y = l.empty(128 * 4, "y");
    const LaunchReport r = l.run("picks", {1, 1, 1}, {128, 1, 1}, Params().add(y).add(width));
    EXPECT_THAT(r.faults, IsEmpty());
    const auto got = l.get<std::uint32_t>(y, 128);
    for (std::uint32_t t = 0; t < 128; ++t)
      EXPECT_EQ(got[t], t / width * width + (t + 1) % width) << "wavefronts of " << width;
  }
}

// Lanes that are not on the way take no part, be it a half or a part of it, and all meet behind it.
TEST(Wavefronts, OnlyActiveLanesTakePart) {
  Launcher l(kKernels);
  for (const std::uint32_t limit : {0u, 16u, 32u, 48u, 64u}) {
    const Address y = l.empty(64 * 16, "y");
    const LaunchReport r = l.run("halves", {1, 1, 1}, {64, 1, 1}, Params().add(y).add(limit));
    EXPECT_THAT(r.faults, IsEmpty()) << limit;
    const auto got = l.get<std::uint64_t>(y, 128);
    const std::uint64_t active = limit == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << limit) - 1;
    for (std::uint32_t t = 0; t < 64; ++t) {
      EXPECT_EQ(got[2 * t], t < limit ? active : 0) << limit;
      EXPECT_EQ(got[2 * t + 1], ~std::uint64_t{0}) << limit;
    }
  }
}

}  // namespace
}  // namespace warpwright::simt
