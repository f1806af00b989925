// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simt/ops/half.h"

namespace warpwright::corpus {
namespace {

constexpr std::size_t kKept = 16;

std::uint64_t bits_at(const std::vector<std::byte>& bytes, std::size_t index, std::uint32_t size) {
  std::uint64_t v = 0;
  std::memcpy(&v, bytes.data() + index * size, size);
  return v;
}

/// The number that the bits are; what is no floating-point number is none.
struct Number {
  bool real = false;
  double value = 0;
  double ulp = 0;  ///< distance to the next one of the format
};

Number number_of(Kind kind, std::uint64_t bits) {
  const auto made = [](double value, int fraction, int least) {
    const int e = value == 0 || !std::isfinite(value) ? least : std::max(std::ilogb(value), least);
    return Number{true, value, std::ldexp(1.0, e - fraction)};
  };
  switch (kind) {
    case Kind::half:
      return made(simt::to_float(simt::Half{static_cast<std::uint16_t>(bits)}), 10, -14);
    case Kind::bfloat:
      return made(simt::to_float(simt::BFloat{static_cast<std::uint16_t>(bits)}), 7, -126);
    case Kind::single:
    case Kind::tf32:
      return made(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 23, -126);
    case Kind::double_:
      return made(std::bit_cast<double>(bits), 52, -1022);
    default:
      return {};
  }
}

/// Pairs are compared as two elements.
Kind element_kind(Kind kind) {
  if (kind == Kind::half2) return Kind::half;
  if (kind == Kind::bfloat2) return Kind::bfloat;
  return kind;
}

bool kept_promise(const Case& c, double machine, double gpu, double ulp, double first_input) {
  const double error = std::fabs(machine - gpu);
  const double magnitude = std::fabs(first_input);
  if (c.promise.high > 0 && (magnitude < c.promise.low || magnitude > c.promise.high)) return true;
  // Promises are of normal numbers; for the others the next one will do.
  if (error <= ulp) return true;
  // The machine's own value is rounded: half a unit beside the true one.
  return error <= c.promise.relative * std::fabs(machine) + ulp / 2 ||
         error <= c.promise.absolute + ulp / 2;
}

}  // namespace

Comparison compare(const Case& c, const std::vector<std::byte>& machine,
                   const std::vector<std::byte>& gpu,
                   const std::vector<std::vector<std::byte>>& inputs) {
  Comparison r;
  const Kind kind = element_kind(c.output.kind);
  const std::uint32_t size = bytes_of(kind);
  const std::size_t elements = machine.size() / size;
  const std::size_t per_thread = std::size_t{c.output.count} * bytes_of(c.output.kind) / size;
  for (std::size_t i = 0; i < elements; ++i) {
    ++r.elements;
    const std::uint64_t a = bits_at(machine, i, size), b = bits_at(gpu, i, size);
    if (a == b) {
      ++r.equal;
      continue;
    }
    const auto thread = static_cast<std::uint32_t>(i / per_thread);
    const Number x = number_of(kind, a), y = number_of(kind, b);
    const bool nans = x.real && std::isnan(x.value) && std::isnan(y.value);
    ++(nans ? r.other_nan : r.different);
    const double error = std::fabs(x.value - y.value);
    if (x.real && !nans && std::isfinite(error)) {
      r.most_ulps = std::max(r.most_ulps, error / x.ulp);
      if (x.value != 0) r.most_relative = std::max(r.most_relative, error / std::fabs(x.value));
      r.most_absolute = std::max(r.most_absolute, error);
    }
    const Kind in = element_kind(c.inputs[0].kind);
    const std::size_t at = in == c.inputs[0].kind ? thread : i;
    const Number first = number_of(in, bits_at(inputs[0], at, bytes_of(in)));
    if (!nans && !(std::isfinite(error) && kept_promise(c, x.value, y.value, x.ulp, first.value)))
      ++r.outside;
    const bool wanted = r.first.size() < kKept / 2 || (r.different + r.other_nan) % 997 == 0;
    if (!wanted || r.first.size() >= kKept) continue;
    Difference d{thread, static_cast<std::uint32_t>(i % per_thread), {}, a, b};
    for (std::size_t k = 0; k < inputs.size(); ++k)
      d.inputs.push_back(
          bits_at(inputs[k], std::size_t{thread} * c.inputs[k].count, bytes_of(c.inputs[k].kind)));
    r.first.push_back(std::move(d));
  }
  return r;
}

}  // namespace warpwright::corpus
