// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rules that look at one element at a time: they decide as rule_values.cpp and rule_exact.cpp do.

#include "verify/oracle/elements.cuh"

namespace warpwright::verify {

/// within() of check.cpp.
__device__ inline bool close_enough(double got, double expected, double bound) {
  if (got != got) return false;
  if (!finite(expected) || !finite(got)) return got == expected;
  return fabs(got - expected) <= bound;
}

/// smallest_step() of check.cpp.
__device__ inline double smallest_step(ElementType type) {
  if (type == ElementType::f32) return 0x1p-149;
  if (type == ElementType::bf16) return 0x1p-133;
  return type == ElementType::f16 ? 0x1p-25 : 0;
}

/// accepted() of check.cpp.
__device__ inline bool accepted(int type, double got, double expected, double least_bound) {
  const ElementType t = static_cast<ElementType>(type);
  const double bound = least_bound + smallest_step(t);
  const double limit = t == ElementType::f16                              ? 65520.0
                       : t == ElementType::f32 || t == ElementType::bf16 ? 0x1.ffffffp127
                                                                          : 0;
  const bool infinite = got == got && !finite(got);
  if (limit == 0 || !infinite || expected != expected) return close_enough(got, expected, bound);
  return (got < 0) == (expected < 0) && fabs(expected) + bound >= limit;
}

/// representable() of check.cpp.
__device__ inline double in_range(int type, double value) {
  const ElementType t = static_cast<ElementType>(type);
  const double largest = t == ElementType::f32 || t == ElementType::bf16 ? 3.4028234663852886e38
                         : t == ElementType::f16                         ? 65504.0
                                                 : 1.7976931348623157e308;
  // The product is infinite for doubles, as on the host.
  if (!(fabs(value) > largest * (1 + 1e-4))) return value;
  return copysign(1 / 0.0, value);
}

__device__ inline double expected_at(const CompareCall& c, u64 i) {
  return c.wide != 0 ? at<double>(c.expected, i) : element(c.expected, i, c.type);
}

/// A wide expected value as the output's type holds it.
__device__ inline double narrowed(const CompareCall& c, double value) {
  if (c.wide == 0) return value;
  const float single = static_cast<float>(value);
  switch (static_cast<ElementType>(c.type)) {
    case ElementType::f32:
      return single;
    case ElementType::f16:
      return from_half_bits(to_half_bits(single));
    case ElementType::bf16:
      return from_bfloat_bits(to_bfloat_bits(single));
    default:
      return value;
  }
}

/// error_beyond_step() of check.cpp.
__device__ inline double error_beyond_step(int type, double got, double expected) {
  return fmax(0.0, fabs(got - expected) - smallest_step(static_cast<ElementType>(type)));
}

__device__ inline double row_rms(const CompareCall& c, u64 i) {
  if (c.squares == 0) return 0;
  const u64 row = c.width == 0 ? 0 : i / c.width;
  const double number = at<double>(c.squares, 2 * row + 1);
  return number == 0 ? 0 : sqrt(at<double>(c.squares, 2 * row) / number);
}

__device__ inline void compare_element(const CompareCall& c, u64 i, Tally& tally) {
  if (c.compare == Compare::bits) {
    if (element_bits(c.got, i, c.type) != element_bits(c.expected, i, c.type)) tally.blame(i);
    return;
  }
  const double got = element(c.got, i, c.type);
  double expected = expected_at(c, i);
  if (c.compare == Compare::exact) {
    expected = narrowed(c, expected);
    if (expected == expected && got != expected) tally.blame(i);
    return;
  }
  if (expected != expected) return;
  if (c.compare == Compare::rounded) {
    if (!close_enough(got, expected, c.absolute)) tally.blame(i);
    return;
  }
  const double scale = c.compare == Compare::elementwise ? row_rms(c, i)
                       : c.scale != 0                    ? at<double>(c.scale, i)
                                                         : fabs(expected);
  const double bound = c.relative * fabs(expected) + c.absolute + c.share * scale;
  if (!accepted(c.type, got, expected, bound)) tally.blame(i);
  if (!finite(expected) || !finite(got)) return;
  if (c.compare == Compare::elementwise) {
    const double error = error_beyond_step(c.type, got, expected);
    tally.errors += error * error;
    tally.squares += expected * expected;
  } else if (c.compare == Compare::dot_products) {
    const double size = fmax(fabs(expected), scale);
    if (size <= 0) return;
    const double share = error_beyond_step(c.type, got, expected) / size;
    tally.errors += share * share;
    ++tally.compared;
  }
}

__device__ inline bool inaccurate(const CompareCall& c, const CheckRecord& r) {
  if (c.compare == Compare::elementwise)
    return r.squares > 0 && sqrt(r.errors / r.squares) > c.rel_rms;
  if (c.compare == Compare::dot_products)
    return r.compared > 0 && !(sqrt(r.errors / static_cast<double>(r.compared)) <= c.rel_rms);
  return false;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    oracle_row_squares(const RowSquaresCall call) {
  const u64 parts = call.parts;
  const u64 row = blockIdx.x / parts;
  const u64 first = row * call.width + blockIdx.x % parts * kRowPart;
  const u64 row_end = (row + 1) * call.width < call.count ? (row + 1) * call.width : call.count;
  const u64 end = first + kRowPart < row_end ? first + kRowPart : row_end;
  double sum = 0, number = 0;
  for (u64 i = first + threadIdx.x; i < end; i += kThreads) {
    const double value = in_range(call.type, call.wide != 0 ? at<double>(call.expected, i)
                                                            : element(call.expected, i, call.type));
    if (!finite(value) || (call.nonzero != 0 && value == 0)) continue;
    sum += value * value;
    number += 1;
  }
  sum = block_sum(sum);
  number = block_sum(number);
  if (threadIdx.x != 0) return;
  double* squares = reinterpret_cast<double*>(call.squares) + 2 * row;
  atomicAdd(squares, sum);
  atomicAdd(squares + 1, number);
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_compare(const CompareCall call) {
  Tally tally;
  for (u64 i = thread_number(); i < call.count; i += threads_of_grid())
    compare_element(call, i, tally);
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  if (!report(tally, record)) return;
  const CheckRecord all = seen(record);
  if (all.wrong != 0 || inaccurate(call, all)) record->failed = 1;
}

/// Values that compare equal have one key: both zeros.
__device__ inline u64 keyed(double value, u64 key) {
  const RandomWords words =
      philox(0x0DE5u, 0, static_cast<std::uint32_t>(same_bits<u64>(value + 0.0)),
             static_cast<std::uint32_t>(same_bits<u64>(value + 0.0) >> 32), key);
  return words.w[0] | u64{words.w[1]} << 32;
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_order(const OrderCall call) {
  Tally tally;
  u64 after = 0, before = 0;
  for (u64 i = thread_number(); i < call.count; i += threads_of_grid()) {
    const double got = element(call.got, i, call.type);
    const bool in_order = i == 0 || element(call.got, i - 1, call.type) <= got;
    if (got != got || !in_order) tally.blame(i);
    after += keyed(got, call.key);
    const ElementType type = static_cast<ElementType>(call.type);
    const bool halves = type == ElementType::f16 || type == ElementType::bf16;
    before += keyed(element(call.before, i, halves ? static_cast<int>(ElementType::f32) : call.type),
                    call.key);
  }
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  after = block_sum(static_cast<unsigned long long>(after));
  before = block_sum(static_cast<unsigned long long>(before));
  if (threadIdx.x == 0) {
    add_to(&record->sum[0], after);
    add_to(&record->sum[1], before);
  }
  if (!report(tally, record)) return;
  const CheckRecord all = seen(record);
  if (all.wrong != 0 || all.sum[0] != all.sum[1]) record->failed = 1;
}

}  // namespace warpwright::verify
