// SPDX-License-Identifier: Apache-2.0
#pragma once

// The core of the input generator: plain integers and doubles, no library functions except floor
// and fma, which are exact everywhere. The same text compiles as CUDA device code, and gives the
// same bits there (with -ffp-contract=off here and -fmad=false there).

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define WW_HOST_DEVICE __host__ __device__
#else
#define WW_HOST_DEVICE
#endif

namespace warpwright::verify {

struct RandomWords {
  std::uint32_t w[4];
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011):
/// 128 random bits for a counter and a key, without any state.
WW_HOST_DEVICE inline RandomWords philox(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                         std::uint32_t c3, std::uint64_t key) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key);
  std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c0 = n0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = n2;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Evenly spread in [0, 1), 53 bits.
WW_HOST_DEVICE inline double unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 21) | (low >> 11);
  return static_cast<double>(bits) * 0x1p-53;
}

/// Evenly spread in 0 .. range-1, range at most 2^32.
WW_HOST_DEVICE inline std::uint64_t below(std::uint32_t word, std::uint64_t range) {
  return (std::uint64_t{word} * range) >> 32;
}

/// Nearly N(0, 1): the sum of six 21-bit integers is exact, and a cubic term gives it the kurtosis
/// of a normal distribution. Within +-4.8.
WW_HOST_DEVICE inline double bell(const RandomWords& random) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 21) - 1;
  const std::uint64_t a = (std::uint64_t{random.w[1]} << 32) | random.w[0];
  const std::uint64_t b = (std::uint64_t{random.w[3]} << 32) | random.w[2];
  const std::uint64_t sum = (a & kMask) + ((a >> 21) & kMask) + ((a >> 42) & kMask) + (b & kMask) +
                            ((b >> 21) & kMask) + ((b >> 42) & kMask);
  // Six uniforms have variance 1/2; centre, scale by sqrt(2) * 2^-21.
  const double x = (static_cast<double>(sum) - 6291453.0) * 6.743495761743046e-07;
  return x * std::fma(x * x, 0.2 / 24, 1 - 0.6 / 24);
}

/// sin(2 pi x) by its Taylor series on a quarter wave; good to 1e-11.
WW_HOST_DEVICE inline double sine_of_turns(double x) {
  double r = x - std::floor(x + 0.5);
  if (r > 0.25) r = 0.5 - r;
  if (r < -0.25) r = -0.5 - r;
  const double t = r * 6.283185307179586;
  const double s = t * t;
  double p = -1.0 / 1307674368000.0;
  p = std::fma(p, s, 1.0 / 6227020800.0);
  p = std::fma(p, s, -1.0 / 39916800.0);
  p = std::fma(p, s, 1.0 / 362880.0);
  p = std::fma(p, s, -1.0 / 5040.0);
  p = std::fma(p, s, 1.0 / 120.0);
  p = std::fma(p, s, -1.0 / 6.0);
  p = std::fma(p, s, 1.0);
  return p * t;
}

/// The index-th element of a random order of 0 .. n-1: a Feistel network over the next even power
/// of two, walked until it lands inside.
WW_HOST_DEVICE inline std::uint64_t shuffled(std::uint64_t index, std::uint64_t n,
                                             std::uint32_t stream, std::uint64_t key) {
  int half_bits = 1;
  while ((std::uint64_t{1} << (2 * half_bits)) < n) ++half_bits;
  const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << half_bits) - 1);
  do {
    std::uint32_t left = static_cast<std::uint32_t>(index >> half_bits);
    std::uint32_t right = static_cast<std::uint32_t>(index) & mask;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const std::uint32_t mixed = left ^ (philox(right, round, stream, 0x5EEDu, key).w[0] & mask);
      left = right;
      right = mixed;
    }
    index = (std::uint64_t{left} << half_bits) | right;
  } while (index >= n);
  return index;
}

/// Round to nearest even; overflow gives infinity; NaN stays NaN.
WW_HOST_DEVICE inline std::uint16_t to_half_bits(float value) {
  std::uint32_t f;
  std::memcpy(&f, &value, sizeof f);
  const std::uint32_t sign = (f >> 16) & 0x8000u;
  const std::uint32_t magnitude = f & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x33000001u) return static_cast<std::uint16_t>(sign);
  const int exponent = static_cast<int>(magnitude >> 23);
  const bool normal = exponent >= 113;
  const int shift = normal ? 13 : 126 - exponent;
  const std::uint32_t mantissa =
      normal ? magnitude - (112u << 23) : (magnitude & 0x7FFFFFu) | 0x800000u;
  const std::uint32_t kept = mantissa >> shift;
  const std::uint32_t rest = mantissa & ((1u << shift) - 1);
  const std::uint32_t middle = 1u << (shift - 1);
  const std::uint32_t up = rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u;
  return static_cast<std::uint16_t>(sign | (kept + up));
}

WW_HOST_DEVICE inline float from_half_bits(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 31u;
  const std::uint32_t mantissa = half & 0x3FFu;
  std::uint32_t f = sign;
  if (exponent == 31) {
    f |= 0x7F800000u | (mantissa << 13);
  } else if (exponent != 0) {
    f |= ((exponent + 112) << 23) | (mantissa << 13);
  } else {  // zero or denormal: exact in float arithmetic
    const float small = static_cast<float>(mantissa) * 0x1p-24f;
    std::uint32_t bits;
    std::memcpy(&bits, &small, sizeof bits);
    f |= bits;
  }
  float value;
  std::memcpy(&value, &f, sizeof value);
  return value;
}

WW_HOST_DEVICE inline std::uint16_t to_bfloat_bits(float value) {
  std::uint32_t f;
  std::memcpy(&f, &value, sizeof f);
  if ((f & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((f >> 16) | 0x40u);
  return static_cast<std::uint16_t>((f + 0x7FFFu + ((f >> 16) & 1u)) >> 16);
}

WW_HOST_DEVICE inline float from_bfloat_bits(std::uint16_t bits) {
  const std::uint32_t f = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &f, sizeof value);
  return value;
}

}  // namespace warpwright::verify
