// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "simt/launcher.h"
#include "simt/ops/half.h"
#include "simt/ops/tensor_sum.h"

namespace warpwright::simt {
namespace {

// One warp: A (16x16, row-major) and B (16x8, row-major) through shared memory and ldmatrix, as
// kernels do it, then one mma, then C (16x8, row-major) as the accumulator's layout says.
constexpr std::string_view kProduct = R"(
.version 8.3
.target sm_80
.address_size 64
.shared .align 16 .b8 ta[512];
.shared .align 16 .b8 tb[256];
.visible .entry product(.param .u64 pa, .param .u64 pb, .param .u64 pc)
{
  .reg .b32 %r<40>;
  .reg .b64 %d<20>;
  .reg .f32 %f<9>;
  mov.u32 %r0, %tid.x;
  ld.param.u64 %d0, [pa];
  ld.param.u64 %d1, [pb];
  ld.param.u64 %d2, [pc];
  mul.wide.u32 %d3, %r0, 16;
  add.u64 %d4, %d0, %d3;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d4];
  shl.b32 %r5, %r0, 4;
  mov.u32 %r6, ta;
  add.u32 %r7, %r6, %r5;
  st.shared.v4.u32 [%r7], {%r1, %r2, %r3, %r4};
  mul.wide.u32 %d5, %r0, 8;
  add.u64 %d6, %d1, %d5;
  ld.global.v2.u32 {%r8, %r9}, [%d6];
  shl.b32 %r10, %r0, 3;
  mov.u32 %r11, tb;
  add.u32 %r12, %r11, %r10;
  st.shared.v2.u32 [%r12], {%r8, %r9};
  bar.sync 0;
  and.b32 %r13, %r0, 15;
  shl.b32 %r14, %r13, 5;
  shr.u32 %r15, %r0, 4;
  shl.b32 %r16, %r15, 4;
  add.u32 %r17, %r6, %r14;
  add.u32 %r17, %r17, %r16;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r17];
  shl.b32 %r18, %r13, 4;
  add.u32 %r19, %r11, %r18;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24, %r25}, [%r19];
  mov.f32 %f1, 0f3F000000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r20, %r21, %r22, %r23}, {%r24, %r25}, {%f1, %f1, %f1, %f1};
  shr.u32 %r30, %r0, 2;
  and.b32 %r31, %r0, 3;
  shl.b32 %r32, %r30, 3;
  shl.b32 %r33, %r31, 1;
  add.u32 %r34, %r32, %r33;
  mul.wide.u32 %d10, %r34, 4;
  add.u64 %d11, %d2, %d10;
  st.global.v2.f32 [%d11], {%f5, %f6};
  st.global.v2.f32 [%d11+256], {%f7, %f8};
  ret;
}

.visible .entry again(.param .u32 times)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .f32 %f<3>;
  ld.param.u32 %r1, [times];
  mov.f32 %f1, 0f3F000000;
more:
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f2, %f2, %f2}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra more;
  ret;
}
)";

TEST(TensorTest, ldmatrix_and_mma_multiply_matrices) {
  Launcher l(kProduct);
  std::vector<std::uint16_t> a(256), b(128);
  const auto va = [](int i) { return i * 5 % 11 - 5; };
  const auto vb = [](int i) { return i * 3 % 7 - 3; };
  for (int i = 0; i < 256; ++i) a[static_cast<std::size_t>(i)] = to_half(va(i)).bits;
  for (int i = 0; i < 128; ++i) b[static_cast<std::size_t>(i)] = to_half(vb(i)).bits;
  const Address pa = l.put(a, "a"), pb = l.put(b, "b"), pc = l.put(std::vector<float>(128), "c");
  const LaunchReport r = l.run("product", {1}, {32}, Params().add(pa).add(pb).add(pc));
  ASSERT_TRUE(r.clean()) << r.faults[0].describe();
  const std::vector<float> c = l.get<float>(pc, 128);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      float want = 0.5f;
      for (int k = 0; k < 16; ++k) want += static_cast<float>(va(i * 16 + k) * vb(k * 8 + j));
      ASSERT_EQ(c[static_cast<std::size_t>(i * 8 + j)], want) << i << "," << j;
    }
  }
  EXPECT_EQ(r.counts.flops.tensor, 2u * 16 * 8 * 16);
}

TEST(TensorTest, sums_of_a_matrix_instruction_are_weighed_where_asked_for) {
  Launcher l(kProduct);
  const Address pa = l.put(std::vector<std::uint16_t>(256), "a");
  const Address pb = l.put(std::vector<std::uint16_t>(128), "b");
  const Address pc = l.put(std::vector<float>(128), "c");
  const Params params = Params().add(pa).add(pb).add(pc);
  const std::uint64_t plain = l.run("product", {1}, {32}, params).work;
  LaunchOptions options{.exact_work = true};
  const LaunchReport weighed = l.run("product", {1}, {32}, params, options);
  EXPECT_EQ(weighed.work, plain + 16 * 8 / 2);
  EXPECT_TRUE(weighed.clean());
  const std::uint64_t loop = l.run("again", {1}, {32}, Params().add(100)).work;
  EXPECT_EQ(l.run("again", {1}, {32}, Params().add(100), options).work, loop + 100 * 16 * 8 / 2);
  options.max_warp_instructions = 3000;
  EXPECT_TRUE(l.run("again", {1}, {32}, Params().add(40), options).clean());
  const LaunchReport late = l.run("again", {1}, {32}, Params().add(100), options);
  ASSERT_EQ(late.faults.size(), 1u);
  EXPECT_EQ(late.faults[0].kind, FaultKind::timeout);
}

// What a product adds to c where a row or a column is zeros, beside infinities and without.
TEST(TensorTest, zeros_leave_what_was_there) {
  const MatrixForm form{.m = 16, .n = 8, .k = 16};
  const TensorRule rule = tensor_rule(form);
  std::uint16_t some[16] = {0x3c00, 0x8001, 0x7bff}, none[16] = {0, 0x8000};
  TensorVector a, zeros, infinite;
  a.set_all(Element::half, reinterpret_cast<const std::uint8_t*>(some), 16, false);
  zeros.set_all(Element::half, reinterpret_cast<const std::uint8_t*>(none), 16, false);
  some[5] = 0x7c00;
  infinite.set_all(Element::half, reinterpret_cast<const std::uint8_t*>(some), 16, true);
  EXPECT_TRUE(zeros.all_zero);
  EXPECT_FALSE(a.all_zero);
  EXPECT_TRUE(infinite.has_special);
  for (const std::uint32_t c : {0u, 0x3f800001u, 0xbf800001u, 0x00000003u, 0x7f7fffffu})
    EXPECT_EQ(tensor_sum(form, rule, a, zeros, c), c);
  EXPECT_EQ(tensor_sum(form, rule, zeros, a, 0x80000000u), 0u);
  EXPECT_EQ(tensor_sum(form, rule, zeros, infinite, 0x3f800000u), 0x7fffffffu);
  EXPECT_EQ(tensor_sum(form, rule, zeros, a, 0x7f800000u), 0x7f800000u);
}

// Rows and columns of all kinds: usual numbers, few bits, zeros, infinities and NaNs.
TEST(TensorTest, columns_side_by_side_have_the_same_sums) {
  std::mt19937_64 draw(5);
  std::size_t special = 0, zero = 0;
  for (const Element type :
       {Element::half, Element::bfloat, Element::tf32, Element::e4m3, Element::e5m2}) {
    const std::uint32_t bytes = element_bytes(type), k = 32 / bytes;
    const MatrixForm form{.m = 16, .n = 8, .k = static_cast<std::uint8_t>(k), .a = type, .b = type};
    const TensorRule rule = tensor_rule(form);
    const auto vector = [&](std::uint64_t kind) {
      std::uint8_t bits[32];
      for (std::uint8_t& byte : bits)
        byte = static_cast<std::uint8_t>(kind == 0 ? 0 : kind == 1 ? draw() & 0x81 : draw());
      // The upper byte of most has a small exponent.
      for (std::uint32_t j = bytes - 1; j < 32 && kind > 2; j += bytes) bits[j] &= 0xbf;
      TensorVector v;
      v.set_all(type, bits, k, false);
      return v;
    };
    for (int turn = 0; turn < 2000; ++turn) {
      const TensorVector a = vector(draw() % 40);
      TensorVector columns[kSideBySide];
      for (TensorVector& c : columns) c = vector(turn % 2 == 0 ? 7 : draw() % 40);
      TensorColumns side;
      side.set_all(columns, k);
      special += side.has_special ? 1 : 0;
      zero += side.some_zero ? 1 : 0;
      std::uint32_t sums[kSideBySide], want[kSideBySide];
      for (std::uint32_t c = 0; c < kSideBySide; ++c) {
        const auto bits = static_cast<std::uint32_t>(draw());
        sums[c] = turn % 3 == 0 ? bits : turn % 3 == 1 ? bits & 0xbfffffff : 0;
        want[c] = tensor_sum(form, rule, a, columns[c], sums[c]);
      }
      tensor_sums(form, rule, a, columns, side, sums);
      for (std::uint32_t c = 0; c < kSideBySide; ++c) ASSERT_EQ(sums[c], want[c]) << turn;
    }
  }
  EXPECT_GT(special, 200u);
  EXPECT_GT(zero, 500u);
}

// One by one or all at once, of every half and bfloat16 there is.
TEST(TensorTest, numbers_are_taken_apart_alike) {
  for (const Element type : {Element::half, Element::bfloat}) {
    for (std::uint32_t first = 0; first < 65536; first += 16) {
      std::uint16_t bits[16];
      TensorVector all, each;
      each.clear();
      for (std::uint32_t k = 0; k < 16; ++k) {
        bits[k] = static_cast<std::uint16_t>(first + k);
        each.set(k, type, bits[k] ^ 0x8000u);
      }
      all.set_all(type, reinterpret_cast<const std::uint8_t*>(bits), 16, true);
      ASSERT_EQ(all.has_special, each.has_special) << first;
      ASSERT_EQ(all.all_zero, each.all_zero) << first;
      for (std::uint32_t k = 0; k < 16; ++k) {
        ASSERT_EQ(all.significand[k], each.significand[k]) << bits[k];
        ASSERT_EQ(all.exponent[k], each.exponent[k]) << bits[k];
        ASSERT_EQ(all.special[k], each.special[k]) << bits[k];
        ASSERT_EQ(all.negative[k], each.negative[k]) << bits[k];
      }
    }
  }
}

TEST(TensorTest, a_part_of_a_warp_cannot_multiply) {
  Launcher l(kProduct);
  const Address pa = l.put(std::vector<std::uint16_t>(256), "a"),
                pb = l.put(std::vector<std::uint16_t>(128), "b");
  const Address pc = l.put(std::vector<float>(128), "c");
  const LaunchReport r = l.run("product", {1}, {16}, Params().add(pa).add(pb).add(pc));
  ASSERT_FALSE(r.clean());
  EXPECT_EQ(r.faults[0].kind, FaultKind::sync_mask);
}

constexpr std::string_view kFragments = R"(
.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc)
{
  .reg .b32 %r<9>;
  .reg .b32 %q<9>;
  .reg .f32 %f<9>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [pa];
  ld.param.u64 %d1, [pb];
  ld.param.u64 %d2, [pc];
  mov.f32 %f0, 0f00000000;
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0], 16;
  wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7}, [%d1], 16;
  wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7}, {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};
  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d2], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;
  ret;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A lane's elements lie together for one access, for some, or for none.
TEST(TensorTest, wmma_fragments_multiply) {
  for (const int stride : {16, 17, 18, 24}) {
    for (const bool by_row : {false, true}) {
      std::string text =
          replaced(std::string(kFragments), "[%d0], 16;", fmt::format("[%d0], {};", stride));
      text = replaced(text, "[%d1], 16;", fmt::format("[%d1], {};", stride));
      if (by_row) text = replaced(text, "load.b.sync.aligned.col", "load.b.sync.aligned.row");
      if (by_row) text = replaced(text, "aligned.row.col", "aligned.row.row");
      Launcher l(text);
      const auto size = static_cast<std::size_t>(16 * stride);
      std::vector<std::uint16_t> a(size), b(size);
      for (std::size_t i = 0; i < size; ++i) {
        a[i] = to_half(static_cast<int>(i % 7) - 3).bits;
        b[i] = to_half(static_cast<int>(i % 5) - 2).bits;
      }
      const Address pa = l.put(a, "a"), pb = l.put(b, "b"), pc = l.empty(1024, "c");
      const LaunchReport r = l.run("k", {1}, {32}, Params().add(pa).add(pb).add(pc));
      ASSERT_TRUE(r.clean()) << r.faults[0].describe();
      const std::vector<float> c = l.get<float>(pc, 256);
      for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) {
          int want = 0;
          for (int k = 0; k < 16; ++k)
            want +=
                ((i * stride + k) % 7 - 3) * ((by_row ? k * stride + j : j * stride + k) % 5 - 2);
          ASSERT_EQ(c[static_cast<std::size_t>(i * 16 + j)], static_cast<float>(want))
              << stride << by_row;
        }
      }
    }
  }
}

// As ldmatrix or wide loads would be: 32 bytes of each lane.
TEST(TensorTest, fragments_that_lie_together_take_few_accesses) {
  Launcher l(kFragments);
  const Address pa = l.put(std::vector<std::uint16_t>(256), "a");
  const Address pb = l.put(std::vector<std::uint16_t>(256), "b"), pc = l.empty(1024, "c");
  const LaunchReport r = l.run("k", {1}, {32}, Params().add(pa).add(pb).add(pc));
  // B's columns lie apart here, element by element.
  EXPECT_EQ(r.counts.global_load_requests, 2u + 16u);
  EXPECT_EQ(r.counts.global_store_requests, 2u);
}

}  // namespace
}  // namespace warpwright::simt
