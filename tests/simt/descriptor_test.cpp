// SPDX-License-Identifier: Apache-2.0
// Tiles of tensors and texture fetches, against what a few lines compute by themselves.
#include <cmath>

#include "launcher.h"
#include "simt/isa/descriptors.h"

namespace warpwright::simt {
namespace {

using ww_descriptors::TensorMap;
using ww_descriptors::TensorType;
using ww_descriptors::Texture;
using ww_descriptors::TextureEdge;
using ww_descriptors::TextureKind;

/// One tile to shared memory, and from there word by word to `out`; or back by another map.
constexpr std::string_view kTiles = R"(.version 8.3
.target sm_90
.address_size 64
.entry tile(.param .align 64 .b8 map[128], .param .align 64 .b8 back[128], .param .u64 out,
            .param .u32 x, .param .u32 y, .param .u32 bytes)
{
  .shared .align 1024 .b8 data[4096];
  .shared .align 8 .b8 barrier[8];
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [x];
  ld.param.u32 %r2, [y];
  ld.param.u32 %r3, [bytes];
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  mov.b64 %rd2, back;
  cvta.param.u64 %rd2, %rd2;
  mov.u32 %r4, barrier;
  mov.u32 %r5, data;
  mov.u32 %r6, %tid.x;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 bra $wait;
  mbarrier.init.shared::cta.b64 [%r4], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], %r3;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd1, {%r1, %r2}], [%r4];
$wait:
  bar.sync 0;
$again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
  @!%p2 bra $again;
  shl.b32 %r7, %r6, 2;
$copy:
  setp.ge.u32 %p3, %r7, %r3;
  @%p3 bra $store;
  add.u32 %r8, %r5, %r7;
  ld.shared.u32 %r9, [%r8];
  cvt.u64.u32 %rd4, %r7;
  add.u64 %rd5, %rd3, %rd4;
  st.global.u32 [%rd5], %r9;
  add.u32 %r7, %r7, 128;
  bra $copy;
$store:
  @%p1 bra $end;
  fence.proxy.async.shared::cta;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r1, %r2}], [%r5];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
$end:
  ret;
}
)";

TensorMap map_of(Address at, std::uint32_t width, std::uint32_t height, std::uint16_t box_x,
                 std::uint16_t box_y, std::uint8_t swizzle = 0) {
  TensorMap map = {};
  std::memcpy(map.mark, ww_descriptors::kTensorMark, sizeof map.mark);
  map.address = at;
  map.strides[0] = std::uint64_t{width} * 4;
  map.sizes_less_one[0] = width - 1;
  map.sizes_less_one[1] = height - 1;
  map.box[0] = box_x;
  map.box[1] = box_y;
  map.steps[0] = map.steps[1] = 1;
  map.type = static_cast<std::uint8_t>(TensorType::u32);
  map.rank = 2;
  map.swizzle = swizzle;
  return map;
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint32_t>(i + 1);
  return all;
}

/// Params aligns by size, a map needs less.
Params parameters(const TensorMap& map, const TensorMap& back, Address out, std::int32_t x,
                  std::int32_t y, std::uint32_t bytes) {
  Params p;
  p.add(map).add(back).add(out).add(x).add(y).add(bytes);
  return p;
}

TEST(TensorCopy, TilesAreCutAtTheEdgesAndFilledWithZeros) {
  constexpr std::uint32_t kWidth = 36, kHeight = 10;
  for (const auto& [x, y] : {std::pair{0, 0}, {-3, -2}, {30, 7}, {28, 8}, {4, 3}, {100, 0}}) {
    Launcher l(kTiles);
    const Address from = l.put(numbers(std::size_t{kWidth} * kHeight), "from");
    const Address to = l.put(std::vector<std::uint32_t>(kWidth * kHeight, 7), "to");
    const Address out = l.empty(16 * 4 * 4, "out");
    const LaunchReport r =
        l.run("tile", {}, {32},
              parameters(map_of(from, kWidth, kHeight, 16, 4), map_of(to, kWidth, kHeight, 16, 4),
                         out, x, y, 16 * 4 * 4));
    const bool stored = x >= 0 && y >= 0 && x % 4 == 0;
    EXPECT_EQ(r.clean(), stored) << (r.faults.empty() ? "" : r.faults[0].describe());
    const auto tile = l.get<std::uint32_t>(out, 64);
    const auto back = l.get<std::uint32_t>(to, std::size_t{kWidth} * kHeight);
    std::vector<std::uint32_t> expected(std::size_t{kWidth} * kHeight, 7);
    for (int i = 0; i < 64; ++i) {
      const int column = x + i % 16, row = y + i / 16;
      const bool inside = column >= 0 && column < int{kWidth} && row >= 0 && row < int{kHeight};
      const auto at = static_cast<std::size_t>(row * int{kWidth} + column);
      EXPECT_EQ(tile[static_cast<std::size_t>(i)], inside ? at + 1 : 0)
          << x << " " << y << " " << i;
      if (inside && stored) expected[at] = static_cast<std::uint32_t>(at + 1);
    }
    EXPECT_EQ(back, expected) << x << " " << y;
  }
}

constexpr std::uint32_t kUntouched = 9999;

/// Runs one tile of 16 x 4 into a tensor of that size, whose rows are 64 bytes apart in memory.
struct Stored {
  std::vector<std::uint32_t> words;
  LaunchReport report;
};
Stored store_into(std::uint32_t width, std::uint32_t height, std::size_t words, std::int32_t x) {
  Launcher l(kTiles);
  const Address from = l.put(numbers(std::size_t{16} * 4), "from");
  const Address to = l.put(std::vector<std::uint32_t>(words, kUntouched), "to");
  const Address out = l.empty(16 * 4 * 4, "out");
  TensorMap back = map_of(to, width, height, 16, 4);
  back.strides[0] = 64;
  Stored stored;
  stored.report =
      l.run("tile", {}, {32}, parameters(map_of(from, 16, 4, 16, 4), back, out, x, 0, 16 * 4 * 4));
  stored.words = l.get<std::uint32_t>(to, words);
  return stored;
}

TEST(TensorCopy, AStoreIsCutAtTheEdgeInWholePiecesOf16Bytes) {
  for (std::uint32_t width = 1; width <= 16; ++width) {
    const Stored stored = store_into(width, 3, 64, 0);
    EXPECT_TRUE(stored.report.clean());
    for (std::uint32_t i = 0; i < 64; ++i) {
      const bool written = i / 16 < 3 && i % 16 < (width + 3) / 4 * 4;
      EXPECT_EQ(stored.words[i], written ? i + 1 : kUntouched) << width << " " << i;
    }
  }
}

TEST(TensorCopy, AStoreBeginsAtAMultipleOf16BytesAndNotInFrontOfTheTensor) {
  EXPECT_TRUE(store_into(13, 3, 64, 4).report.clean());
  for (const std::int32_t x : {-4, -1, 1, 7}) {
    const Stored stored = store_into(13, 3, 64, x);
    ASSERT_EQ(stored.report.faults.size(), 1U) << x;
    EXPECT_EQ(stored.report.faults[0].kind, FaultKind::misaligned) << x;
  }
}

TEST(TensorCopy, AStoreBehindTheEdgeAndOutsideOfTheBufferIsReported) {
  // Two rows of 64 bytes, and 13 numbers of a third.
  const Stored stored = store_into(13, 3, 2 * 16 + 13, 0);
  ASSERT_EQ(stored.report.faults.size(), 1U);
  const Fault& fault = stored.report.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_NE(fault.detail.find("12 bytes behind the tensor's edge"), std::string::npos)
      << fault.describe();
  // With room for the rest of the 16 bytes it is none.
  EXPECT_TRUE(store_into(13, 3, 2 * 16 + 16, 0).report.clean());
}

TEST(TensorCopy, SwizzlesMovePiecesOf16BytesByTheirRow) {
  for (const std::uint32_t swizzle : {1U, 2U, 3U}) {
    const std::uint32_t row_bytes = 16U << swizzle, columns = row_bytes / 4, rows = 16;
    Launcher l(kTiles);
    const Address from = l.put(numbers(std::size_t{columns} * rows), "from");
    const Address to = l.empty(std::uint64_t{row_bytes} * rows, "to");
    const Address out = l.empty(std::uint64_t{row_bytes} * rows, "out");
    const auto box = static_cast<std::uint16_t>(columns);
    const auto kind = static_cast<std::uint8_t>(swizzle);
    const LaunchReport r =
        l.run("tile", {}, {32},
              parameters(map_of(from, columns, rows, box, 16, kind),
                         map_of(to, columns, rows, box, 16, kind), out, 0, 0, row_bytes * rows));
    EXPECT_TRUE(r.clean());
    const auto shared = l.get<std::uint32_t>(out, std::size_t{columns} * rows);
    for (std::uint32_t i = 0; i < columns * rows; ++i) {
      // Lines of 128 bytes: the piece's number is changed by the line's, as far as the pattern
      // goes.
      const std::uint32_t byte = i * 4, line = byte / 128 % (1U << swizzle);
      const std::uint32_t place = byte ^ line << 4;
      EXPECT_EQ(shared[place / 4], i + 1) << swizzle << " " << i;
    }
    EXPECT_EQ(l.get<std::uint32_t>(to, std::size_t{columns} * rows), numbers(columns * rows));
  }
}

TEST(TensorCopy, WhatIsNoTensorMapIsReported) {
  Launcher l(kTiles);
  const Address from = l.put(numbers(64), "from");
  LaunchOptions options;
  options.max_warp_instructions = 20000;
  const LaunchReport r =
      l.run("tile", {}, {32}, parameters(TensorMap{}, map_of(from, 16, 4, 16, 4), from, 0, 0, 256),
            options);
  ASSERT_FALSE(r.faults.empty());
  EXPECT_NE(r.faults[0].describe().find("no tensor map"), std::string::npos);
}

constexpr std::string_view kFetch = R"(.version 8.3
.target sm_90
.address_size 64
.entry fetch1(.param .u64 texture, .param .u64 out, .param .u32 first)
{
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [first];
  mov.u32 %r2, %tid.x;
  add.s32 %r3, %r1, %r2;
  tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r3}];
  mul.wide.u32 %rd3, %r2, 16;
  add.u64 %rd4, %rd2, %rd3;
  st.global.v4.u32 [%rd4], {%r4, %r5, %r6, %r7};
  ret;
}
.entry fetch2(.param .u64 texture, .param .u64 at, .param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [at];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 8;
  add.u64 %rd5, %rd2, %rd4;
  ld.global.v2.f32 {%f1, %f2}, [%rd5];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
  mul.wide.u32 %rd6, %r1, 4;
  add.u64 %rd7, %rd3, %rd6;
  st.global.f32 [%rd7], %f3;
  ret;
}
)";

Texture texture_of(Address at, std::uint64_t width, std::uint32_t height, TextureKind kind,
                   std::uint8_t channels, std::uint8_t channel_bytes) {
  Texture t = {};
  std::memcpy(t.mark, ww_descriptors::kTextureMark, sizeof t.mark);
  t.address = at;
  t.width = width;
  t.height = height;
  t.depth = 1;
  t.pitch_bytes = width * channels * channel_bytes;
  t.kind = static_cast<std::uint8_t>(kind);
  t.channels = channels;
  t.channel_bytes = channel_bytes;
  return t;
}

TEST(Textures, LinearMemoryReadsAsZeroBesideItsEnds) {
  Launcher l(kFetch);
  const std::vector<std::int8_t> data = {1, -2, 3, -4, 5, -6, 7, -8};
  const Address at = l.put(data, "data");
  const Address handle =
      l.put(std::vector<Texture>{texture_of(at, 4, 1, TextureKind::s, 2, 1)}, "texture");
  const Address out = l.empty(32 * 16, "out");
  const LaunchReport r =
      l.run("fetch1", {}, {32}, Params().add(handle).add(out).add(std::int32_t{-2}));
  EXPECT_TRUE(r.clean()) << (r.faults.empty() ? "" : r.faults[0].describe());
  const auto got = l.get<std::int32_t>(out, 32 * 4);
  for (int lane = 0; lane < 32; ++lane) {
    const int element = lane - 2;
    const bool inside = element >= 0 && element < 4;
    for (int c = 0; c < 2; ++c)
      EXPECT_EQ(got[static_cast<std::size_t>(lane * 4 + c)],
                inside ? data[static_cast<std::size_t>(element * 2 + c)] : 0)
          << lane;
  }
}

/// The same by other means: every element is a plain function of its place.
float element(int x, int y) { return static_cast<float>(x * x + 10 * y); }

class Fetch2 : public testing::Test {
 protected:
  static constexpr int kWidth = 5, kHeight = 3;

  float at(float x, float y, TextureEdge edge, bool interpolates, bool normalized) {
    Launcher l(kFetch);
    std::vector<float> data;
    for (int row = 0; row < kHeight; ++row)
      for (int column = 0; column < kWidth; ++column) data.push_back(element(column, row));
    Texture t = texture_of(l.put(data, "data"), kWidth, kHeight, TextureKind::f, 1, 4);
    for (auto& e : t.edge) e = static_cast<std::uint8_t>(edge);
    t.border[0] = -5;
    t.interpolates = interpolates ? 1 : 0;
    t.normalized = normalized ? 1 : 0;
    const Address handle = l.put(std::vector<Texture>{t}, "texture");
    const Address places = l.put(std::vector<float>{x, y}, "places");
    const Address out = l.empty(4, "out");
    const LaunchReport r = l.run("fetch2", {}, {1}, Params().add(handle).add(places).add(out));
    EXPECT_TRUE(r.clean());
    return l.get<float>(out, 1)[0];
  }
};

TEST_F(Fetch2, TakesTheElementAPlaceLiesIn) {
  EXPECT_EQ(at(2.9F, 1.1F, TextureEdge::clamp, false, false), element(2, 1));
  EXPECT_EQ(at(-4, 7, TextureEdge::clamp, false, false), element(0, 2));
  EXPECT_EQ(at(-0.5F, 1, TextureEdge::border, false, false), -5);
  EXPECT_EQ(at(0.5F, 0.5F, TextureEdge::clamp, false, true), element(2, 1));
}

TEST_F(Fetch2, RepeatsOnlyNormalizedPlaces) {
  EXPECT_EQ(at(1.3F, 0.1F, TextureEdge::wrap, false, true), element(1, 0));
  EXPECT_EQ(at(-0.1F, 0.1F, TextureEdge::wrap, false, true), element(4, 0));
  EXPECT_EQ(at(1.1F, 0.1F, TextureEdge::mirror, false, true), element(4, 0));
  EXPECT_EQ(at(-0.3F, 0.1F, TextureEdge::mirror, false, true), element(1, 0));
  EXPECT_EQ(at(6, 0, TextureEdge::wrap, false, false), element(4, 0));
}

TEST_F(Fetch2, InterpolatesBetweenFour) {
  EXPECT_EQ(at(2.5F, 1.5F, TextureEdge::clamp, true, false), element(2, 1));
  const float half = (element(1, 0) + element(2, 0) + element(1, 1) + element(2, 1)) / 4;
  EXPECT_EQ(at(2, 1, TextureEdge::clamp, true, false), half);
  EXPECT_EQ(at(2.75F, 0.5F, TextureEdge::clamp, true, false),
            0.75F * element(2, 0) + 0.25F * element(3, 0));
  EXPECT_EQ(at(0, 0.5F, TextureEdge::border, true, false), (-5 + element(0, 0)) / 2);
}

TEST(Textures, WhatIsNoTextureIsReported) {
  Launcher l(kFetch);
  const Address out = l.empty(512, "out");
  const LaunchReport r = l.run("fetch1", {}, {32}, Params().add(out).add(out).add(std::int32_t{0}));
  ASSERT_FALSE(r.faults.empty());
  EXPECT_NE(r.faults[0].describe().find("no texture object"), std::string::npos);
}

}  // namespace
}  // namespace warpwright::simt
