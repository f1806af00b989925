// SPDX-License-Identifier: Apache-2.0
// Surfaces, and fragments of doubles, against what a few lines compute by themselves.
#include <cmath>

#include "launcher.h"
#include "simt/isa/descriptors.h"

namespace warpwright::simt {
namespace {

using ww_descriptors::Texture;

/// Lane t reads 4 bytes at (x + 4 t, y, z) and writes what it read plus 100 to out; EDGE is a word.
std::string read_kernel(const std::string& geometry, const std::string& at,
                        const std::string& edge) {
  return R"(.version 8.3
.target sm_90
.address_size 64
.entry k(.param .u64 surface, .param .u64 out, .param .u32 px, .param .u32 py, .param .u32 pz)
{
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [surface];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [px];
  ld.param.u32 %r2, [py];
  ld.param.u32 %r3, [pz];
  mov.u32 %r4, %tid.x;
  shl.b32 %r5, %r4, 2;
  add.s32 %r1, %r1, %r5;
  suld.b.)" +
         geometry + ".b32." + edge + " {%r6}, [%rd1, {" + at + R"(}];
  add.u32 %r7, %r6, 100;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r7;
  ret;
}
)";
}

constexpr std::string_view kWrites = R"(.version 8.3
.target sm_90
.address_size 64
.entry wide(.param .u64 surface, .param .u32 py)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [surface];
  ld.param.u32 %r1, [py];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 4;
  add.u32 %r4, %r2, 1;
  sust.b.2d.v4.b32.zero [%rd1, {%r3, %r1}], {%r2, %r4, %r2, %r4};
  ret;
}
.entry bytes(.param .u64 surface, .param .u32 py)
{
  .reg .b16 %rs<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [surface];
  ld.param.u32 %r1, [py];
  mov.u32 %r2, %tid.x;
  cvt.u16.u32 %rs1, %r2;
  sust.b.2d.b8.clamp [%rd1, {%r2, %r1}], {%rs1};
  suld.b.2d.b8.trap {%rs2}, [%rd1, {%r2, %r1}];
  cvt.u32.u16 %r3, %rs2;
  add.u16 %rs3, %rs2, 1;
  sust.b.2d.b8.trap [%rd1, {%r2, %r1}], {%rs3};
  ret;
}
.entry same(.param .u64 surface)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, 0;
  sust.b.1d.b32.trap [%rd1, {%r2}], {%r1};
  ret;
}
)";

Texture surface_of(Address at, std::uint64_t width, std::uint32_t height, std::uint32_t depth) {
  Texture t = {};
  std::memcpy(t.mark, ww_descriptors::kSurfaceMark, sizeof t.mark);
  t.address = at;
  t.width = width;
  t.height = height;
  t.depth = depth;
  t.pitch_bytes = width * 4;
  t.slice_bytes = t.pitch_bytes * height;
  t.channels = 1;
  t.channel_bytes = 4;
  return t;
}

constexpr int kWidth = 32, kHeight = 3, kDepth = 2;

struct Read {
  std::vector<std::uint32_t> got;
  std::string fault;
};

/// 32 lanes from (x, y, z) on, of an image whose elements are 1, 2, 3, ...
Read read(const std::string& geometry, const std::string& at, const std::string& edge, int x, int y,
          int z) {
  Launcher l(read_kernel(geometry, at, edge));
  std::vector<std::uint32_t> data(std::size_t{kWidth} * kHeight * kDepth);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(i + 1);
  const Address image = l.put(data, "image");
  const Address handle =
      l.put(std::vector<Texture>{surface_of(image, kWidth, kHeight, kDepth)}, "surface");
  const Address out = l.empty(128, "out");
  const LaunchReport r = l.run("k", {}, {32}, Params().add(handle).add(out).add(x).add(y).add(z));
  return {l.get<std::uint32_t>(out, 32), r.faults.empty() ? "" : r.faults[0].describe()};
}

std::uint32_t element(int x, int y, int z) {
  return static_cast<std::uint32_t>((z * kHeight + y) * kWidth + x + 1);
}

TEST(Surfaces, EveryGeometryReadsItsElement) {
  struct Row {
    const char *geometry, *at;
    int y, z;  // what is read
  };
  const Row rows[] = {{"1d", "%r1", 0, 0},
                      {"2d", "%r1, %r2", 2, 0},
                      {"3d", "%r1, %r2, %r3, %r3", 2, 1},
                      {"a1d", "%r3, %r1", 0, 1},
                      {"a2d", "%r3, %r1, %r2, %r2", 2, 1}};
  for (const Row& row : rows) {
    const Read r = read(row.geometry, row.at, "trap", 0, 2, 1);
    EXPECT_EQ(r.fault, "") << row.geometry;
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(r.got[static_cast<std::size_t>(lane)], element(lane, row.y, row.z) + 100)
          << row.geometry << " " << lane;
  }
}

TEST(Surfaces, BesideTheImageTheModeDecides) {
  const Read zero = read("2d", "%r1, %r2", "zero", -8, 1, 0);
  EXPECT_EQ(zero.fault, "");
  EXPECT_EQ(zero.got[1], 100U);
  EXPECT_EQ(zero.got[2], element(0, 1, 0) + 100);
  const Read clamp = read("2d", "%r1, %r2", "clamp", 8, 9, 0);
  EXPECT_EQ(clamp.fault, "");
  EXPECT_EQ(clamp.got[0], element(2, kHeight - 1, 0) + 100);
  EXPECT_EQ(clamp.got[31], element(kWidth - 1, kHeight - 1, 0) + 100);
  EXPECT_NE(read("2d", "%r1, %r2", "trap", 0, kHeight, 0).fault.find("beside the surface's image"),
            std::string::npos);
  EXPECT_NE(read("2d", "%r1, %r2", "trap", 4, 0, 0).fault, "") << "the last lane is outside";
  EXPECT_NE(read("1d", "%r1", "trap", 2, 0, 0).fault, "") << "x is no multiple of the size";
}

TEST(Surfaces, WritesOfVectorsAndBytes) {
  Launcher l(kWrites);
  const Address image = l.put(std::vector<std::uint32_t>(kWidth * kHeight, 7), "image");
  const Address handle =
      l.put(std::vector<Texture>{surface_of(image, kWidth, kHeight, 1)}, "surface");
  // 32 lanes of 16 bytes: a row has 8 of them, the others fall beside.
  EXPECT_TRUE(l.run("wide", {}, {32}, Params().add(handle).add(1)).clean());
  EXPECT_TRUE(l.run("bytes", {}, {32}, Params().add(handle).add(2)).clean());
  const auto got = l.get<std::uint32_t>(image, kWidth * kHeight);
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    EXPECT_EQ(got[i], 7U);
    EXPECT_EQ(got[kWidth + i], i / 4 + i % 2);
    const std::uint32_t first = 4 * i + 1;
    const std::uint32_t bytes = first | (first + 1) << 8 | (first + 2) << 16 | (first + 3) << 24;
    EXPECT_EQ(got[2 * kWidth + i], i < 8 ? bytes : 7U) << i;
  }
}

TEST(Surfaces, BlocksThatWriteOneElementRace) {
  Launcher l(kWrites);
  const Address image = l.put(std::vector<std::uint32_t>(kWidth, 7), "image");
  const Address handle = l.put(std::vector<Texture>{surface_of(image, kWidth, 1, 1)}, "surface");
  const LaunchReport r = l.run("same", {2}, {1}, Params().add(handle));
  ASSERT_FALSE(r.faults.empty());
  EXPECT_EQ(r.faults[0].kind, FaultKind::global_race);
}

TEST(Surfaces, WhatIsNoSurfaceIsReported) {
  Launcher l(kWrites);
  const Address out = l.empty(512, "out");
  const LaunchReport r = l.run("wide", {}, {32}, Params().add(out).add(0));
  ASSERT_FALSE(r.faults.empty());
  EXPECT_NE(r.faults[0].describe().find("no surface object"), std::string::npos);
}

constexpr std::string_view kDoubles = R"(.version 8.3
.target sm_90
.address_size 64
.entry product(.param .u64 pa, .param .u64 pb, .param .u64 pc)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .f64 %fd<8>;
  ld.param.u64 %rd1, [pa];
  ld.param.u64 %rd2, [pb];
  ld.param.u64 %rd3, [pc];
  mov.u32 %r1, 4;
  mov.u32 %r2, 8;
  wmma.load.a.sync.aligned.row.m8n8k4.f64 {%fd1}, [%rd1], %r1;
  wmma.load.b.sync.aligned.col.m8n8k4.f64 {%fd2}, [%rd2], %r1;
  wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%fd3, %fd4}, [%rd3], %r2;
  wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
  wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd3], {%fd5, %fd6}, %r2;
  ret;
}
)";

TEST(Fragments, BlocksThatStoreOneMatrixRace) {
  // Each block reads what it or another one wrote: neither the sums nor their place are settled.
  Launcher l(kDoubles);
  const Address pa = l.put(std::vector<double>(32, 1.5), "a");
  const Address pb = l.put(std::vector<double>(32, 1.25), "b");
  const Address pc = l.put(std::vector<double>(64, 1), "c");
  const LaunchReport r = l.run("product", {3}, {32}, Params().add(pa).add(pb).add(pc));
  ASSERT_FALSE(r.faults.empty());
  EXPECT_EQ(r.faults[0].kind, FaultKind::global_race);
}

TEST(Fragments, OfDoubles) {
  Launcher l(kDoubles);
  std::vector<double> a(32), b(32), c(64), expected(64);
  for (std::size_t i = 0; i < 32; ++i) {
    a[i] = 1.0 + 1.0 / static_cast<double>(3 + i);
    b[i] = 2.0 - 1.0 / static_cast<double>(7 + i);
  }
  for (std::size_t i = 0; i < 64; ++i) c[i] = static_cast<double>(i) / 16;
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double sum = c[8 * row + column];
      for (std::size_t k = 0; k < 4; ++k) sum = std::fma(a[4 * row + k], b[4 * column + k], sum);
      expected[8 * row + column] = sum;
    }
  const Address pa = l.put(a, "a"), pb = l.put(b, "b"), pc = l.put(c, "c");
  const LaunchReport r = l.run("product", {}, {32}, Params().add(pa).add(pb).add(pc));
  EXPECT_TRUE(r.clean()) << (r.faults.empty() ? "" : r.faults[0].describe());
  EXPECT_EQ(l.get<double>(pc, 64), expected);
}

}  // namespace
}  // namespace warpwright::simt
