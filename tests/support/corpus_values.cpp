// SPDX-License-Identifier: Apache-2.0
// Inputs of the corpus. Only integer arithmetic and exact floating-point operations, so that every
// host makes the same bits.
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "support/corpus.h"

namespace warpwright::corpus {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 mixed(u64 x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

constexpr u64 kInt16[] = {0,      1,      2,      3,      7,      8,      15,     16,     31,
                          32,     100,    127,    128,    255,    256,    0x3ff,  0x7ff,  0x7ffe,
                          0x7fff, 0x8000, 0x8001, 0xaaaa, 0xff7f, 0xff80, 0xff81, 0xfffe, 0xffff};
constexpr u64 kInt32[] = {0,          1,          2,          3,          4,          7,
                          8,          15,         16,         31,         32,         33,
                          63,         64,         127,        128,        255,        256,
                          0x7fff,     0x8000,     0xffff,     0x10000,    0xffffff,   0x1000000,
                          0x1000001,  0x7f800000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
                          0xaaaaaaaa, 0x55555555, 0xff000000, 0xffff7fff, 0xffff8000, 0xffffff7f,
                          0xffffff80, 0xfffffffe, 0xffffffff, 0x01020304, 0x80ff7f00, 0x12345678};
constexpr u64 kInt64[] = {0,
                          1,
                          2,
                          3,
                          31,
                          32,
                          63,
                          64,
                          65,
                          127,
                          128,
                          255,
                          0x7fff,
                          0xffff,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0x100000000,
                          0x1ffffffff,
                          0x20000000000000,
                          0x20000000000001,
                          0x7fffffffffffffff,
                          0x8000000000000000,
                          0x8000000000000001,
                          0xaaaaaaaaaaaaaaaa,
                          0xffffffff00000000,
                          0xffffffff7fffffff,
                          0xffffffff80000000,
                          0xfffffffffffffffe,
                          0xffffffffffffffff,
                          0x7fffff8000000000,
                          0x0123456789abcdef};
// Zeros, subnormals, ends of the normal range, one and its neighbours, halves between whole
// numbers, limits of integer and half types, infinities, quiet and signalling NaNs.
constexpr u64 kHalf[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x0200, 0x03ff, 0x83ff, 0x0400,
                         0x8400, 0x0401, 0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3e00,
                         0xbe00, 0x4000, 0x4100, 0x4248, 0x57f8, 0x5bfc, 0x7bfe, 0x7bff, 0xfbff,
                         0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7c01, 0xfe01, 0x6400, 0x6bff};
constexpr u64 kBfloat[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x0040, 0x007f, 0x807f, 0x0080,
                           0x8080, 0x0081, 0x3f00, 0xbf00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3fc0,
                           0xbfc0, 0x4000, 0x4020, 0x4049, 0x42ff, 0x437f, 0x4f00, 0x5f00, 0x7f7e,
                           0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff, 0x7f81, 0xffc1};
constexpr u64 kSingle[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x00400000, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x00ffffff, 0x01000000, 0x3effffff, 0x3f000000, 0xbf000000,
    0x3f000001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001, 0x3fc00000, 0xbfc00000,
    0x40000000, 0x40200000, 0x40490fdb, 0x42ff0000, 0x43000000, 0x437f8000, 0x46fffe00, 0x477fe000,
    0x477fefff, 0x477ff000, 0x477fff80, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
    0x4f7fffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f7fffff, 0x33000000, 0x33000001, 0x387fc000,
    0x7f7f0000, 0x7f7f8000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff,
    0x7f800001, 0xffc00001, 0x7e800000, 0x7e800001, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000};
constexpr u64 kDouble[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x0008000000000000, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x3fe0000000000000, 0xbfe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000,
    0xbff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0xbff8000000000000,
    0x4004000000000000, 0x405fe00000000000, 0x4060000000000000, 0x406ff00000000000,
    0x40dfffc000000000, 0x40efffe000000000, 0x40effc0000000000, 0x40effdffffffffff,
    0x40effe0000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000,
    0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41effffffff00000,
    0x41f0000000000000, 0x4340000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
    0xc3e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x3810000000000000, 0x380fffffffffffff, 0x3ff0000010000000,
    0x3ff0000030000000, 0x3ff0000010000001, 0x3f10000000000000, 0x3e60000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x7fffffffffffffff, 0x7ff0000000000001, 0xfff8000000000001};
constexpr u64 kPred[] = {0, 1};
constexpr u64 kLane[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 255, 0x1f1f, 0x181f};

struct Edges {
  std::span<const u64> all;
  u32 bits;
};
Edges edges_of(Kind kind) {
  switch (kind) {
    case Kind::pred:
      return {kPred, 1};
    case Kind::int16:
      return {kInt16, 16};
    case Kind::int32:
    case Kind::few:
      return {kInt32, 32};
    case Kind::int64:
      return {kInt64, 64};
    case Kind::half:
    case Kind::half2:
      return {kHalf, 16};
    case Kind::bfloat:
    case Kind::bfloat2:
      return {kBfloat, 16};
    case Kind::single:
    case Kind::tf32:
      return {kSingle, 32};
    case Kind::lane:
      return {kLane, 6};
    default:
      return {kDouble, 64};
  }
}

u64 low_bits(u64 x, u32 bits) { return bits == 64 ? x : x & ((u64{1} << bits) - 1); }

/// A number of the format with a fraction of `fraction` bits, its exponent near the middle.
u64 moderate(u64 random, u32 bits, u32 fraction) {
  const u32 exponent_bits = bits - 1 - fraction;
  const u64 bias = (u64{1} << (exponent_bits - 1)) - 1;
  const u64 exponent = bias - 6 + (random >> 56) % 13;
  return low_bits(random, fraction) | exponent << fraction | (random >> 55 & 1) << (bits - 1);
}

u32 fraction_of(Kind kind) {
  switch (kind) {
    case Kind::half:
    case Kind::half2:
      return 10;
    case Kind::bfloat:
    case Kind::bfloat2:
      return 7;
    case Kind::single:
    case Kind::tf32:
      return 23;
    case Kind::double_:
      return 52;
    default:
      return 0;
  }
}

/// One element (a half of a pair, too) by its case number.
u64 scalar(Kind kind, u64 i, u32 at, u32 inputs) {
  const Edges e = edges_of(kind);
  const u64 edges = e.all.size();
  if (inputs == 1 && e.bits == 16 && kind != Kind::int32) return i * 0x9e3b & 0xffff;
  // All combinations of edges first; of three operands, every third edge from a shifting start.
  if (inputs == 1 && i < edges) return e.all[i];
  if (inputs == 2 && i < edges * edges && i < 3600) return e.all[at == 0 ? i % edges : i / edges];
  if (inputs >= 3 && i < 3600) return e.all[mixed(i * 31 + at) % edges];
  const u64 random = mixed(i * 8 + at);
  const u64 style = mixed(i) % 8;
  if (style == 0) return e.all[random % edges];
  const u32 fraction = fraction_of(kind);
  if (fraction == 0 || style < 3) {
    // Integers of all lengths, floats of all exponents.
    const u32 shift = fraction == 0 && style > 4 ? static_cast<u32>(random >> 58) % e.bits : 0;
    return low_bits(low_bits(random, e.bits) >> shift, e.bits);
  }
  // The second operand is near the first or its negative: cancellation.
  if (style == 3 && at > 0 && inputs > 1) {
    const u64 first = moderate(mixed(i * 8), e.bits, fraction);
    return low_bits((first ^ (random >> 63) << (e.bits - 1)) + (random & 3), e.bits);
  }
  // The third one is the rounded negative product of the others: what is left is its error.
  if (style == 4 && at == 2 && fraction >= 23) {
    const u64 a = moderate(mixed(i * 8), e.bits, fraction);
    const u64 b = moderate(mixed(i * 8 + 1), e.bits, fraction);
    if (e.bits == 64)
      return std::bit_cast<u64>(-(std::bit_cast<double>(a) * std::bit_cast<double>(b)));
    return std::bit_cast<u32>(
        -(std::bit_cast<float>(static_cast<u32>(a)) * std::bit_cast<float>(static_cast<u32>(b))));
  }
  return moderate(random, e.bits, fraction);
}

/// Elements of matrices. What a warp sees follows its number: narrow and wide ranges of
/// exponents, powers of two, subnormals, and rarely infinities and NaNs.
u64 matrix_element(u64 warp, u64 random, u32 bits, u32 fraction) {
  const u32 exponent_bits = bits - 1 - fraction;
  const u64 bias = (u64{1} << (exponent_bits - 1)) - 1, sign = (random >> 54 & 1) << (bits - 1);
  const u64 pick = random >> 56;
  const u64 mantissa = low_bits(random, fraction);
  switch (warp % 8) {
    case 0:
      return sign | (bias - 3 + pick % 4) << fraction | mantissa;
    case 1:
      return sign | (bias - 7 + pick % 15) << fraction | mantissa;
    case 2:
      return sign | (bias - 12 + pick % 25) << fraction;
    case 3:  // one large among small ones
      return sign | (pick % 16 == 0 ? bias + 5 : bias - 8 + pick % 4) << fraction | mantissa;
    case 4:  // many zeros
      return pick % 4 != 0 ? sign : sign | (bias - 6 + pick % 13) << fraction | mantissa;
    case 5:  // subnormals and small numbers
      return sign | (pick % 3) << fraction | mantissa;
    case 6:  // all positive
      return (bias - 2 + pick % 3) << fraction | mantissa;
    default:
      if (random % 509 == 0)
        return sign | low_bits(~u64{0}, exponent_bits) << fraction | (pick % 2 == 0 ? 0 : mantissa);
      return sign | low_bits(random >> 20, bits - 1);
  }
}

u64 matrix_value(Kind kind, u64 thread, u64 element, u32 at) {
  const u64 warp = thread / 32;
  const u64 random = mixed(mixed(thread * 64 + element) + at);
  switch (kind) {
    case Kind::matrix_half:
      return matrix_element(warp, random, 16, 10) | matrix_element(warp, mixed(random), 16, 10)
                                                        << 16;
    case Kind::matrix_bfloat:
      return matrix_element(warp, random, 16, 7) | matrix_element(warp, mixed(random), 16, 7) << 16;
    case Kind::matrix_tf32:
      // The low 13 bits do not take part; some have them.
      return matrix_element(warp, random, 32, 23) & (warp % 16 < 8 ? 0xffffe000u : ~u64{0});
    case Kind::matrix_single:
      // Every fourth group of warps adds to nothing.
      return warp / 8 % 4 == 0 ? 0 : matrix_element(warp, random, 32, 23);
    default:
      return matrix_element(warp, random, 64, 52);
  }
}

u64 value(const Case& c, std::size_t at, u64 thread, u64 element) {
  const Kind kind = c.inputs[at].kind;
  const auto position = static_cast<u32>(at);
  const auto inputs = static_cast<u32>(c.inputs.size());
  if (kind >= Kind::matrix_half) return matrix_value(kind, thread, element, position);
  const u64 i = thread * c.inputs[at].count + element;
  if (kind == Kind::half2 || kind == Kind::bfloat2)
    return scalar(kind, i, position, inputs) | scalar(kind, mixed(i) % kThreads, position, inputs)
                                                   << 16;
  if (kind == Kind::few) return mixed(i / 32) % 4 == 0 ? mixed(i / 32) : mixed(i) % 3;
  if (kind == Kind::lane)
    return mixed(i * 8 + at) % 8 == 0 ? kLane[mixed(i) % 16] : mixed(i + at) % 32;
  return scalar(kind, i, position, inputs);
}

}  // namespace

u32 bytes_of(Kind kind) {
  switch (kind) {
    case Kind::int16:
    case Kind::half:
    case Kind::bfloat:
      return 2;
    case Kind::int64:
    case Kind::double_:
    case Kind::matrix_double:
      return 8;
    default:
      return 4;
  }
}

std::vector<std::byte> input_bytes(const Case& c, std::size_t at, u32 threads) {
  const Operand& o = c.inputs[at];
  const u32 bytes = bytes_of(o.kind);
  std::vector<std::byte> all(std::size_t{threads} * o.count * bytes);
  for (u32 t = 0; t < threads; ++t)
    for (u32 k = 0; k < o.count; ++k) {
      const u64 v = value(c, at, t, k);
      std::memcpy(all.data() + (std::size_t{t} * o.count + k) * bytes, &v, bytes);
    }
  return all;
}

u64 hash_of(const std::byte* bytes, std::size_t count) {
  u64 h = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count; ++i) h = (h ^ static_cast<u64>(bytes[i])) * 0x100000001b3u;
  return h;
}

}  // namespace warpwright::corpus
