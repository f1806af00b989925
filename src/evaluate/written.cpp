// SPDX-License-Identifier: Apache-2.0
#include "evaluate/written.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "verify/random.h"

namespace warpwright::evaluate {

namespace {

template <class T>
void put(std::span<std::byte> to, T value) {
  std::memcpy(to.data(), &value, sizeof value);
}

/// The nearest integer of the type, as the rule "rounded" accepts it: a reference leaves integers
/// unrounded there. Anything is right where a NaN is expected.
template <class T>
T nearest(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return 0;
  const double whole = std::nearbyint(value);
  if (whole <= static_cast<double>(Limits::min())) return Limits::min();
  if (whole >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<T>(whole);
}

void put_element(ElementType type, double value, std::span<std::byte> to) {
  switch (type) {
    case ElementType::f32:
      return put(to, static_cast<float>(value));
    case ElementType::f64:
      return put(to, value);
    case ElementType::f16:
      return put(to, verify::to_half_bits(static_cast<float>(value)));
    case ElementType::bf16:
      return put(to, verify::to_bfloat_bits(static_cast<float>(value)));
    case ElementType::i32:
      return put(to, nearest<std::int32_t>(value));
    case ElementType::u32:
      return put(to, nearest<std::uint32_t>(value));
    case ElementType::i64:
      return put(to, nearest<std::int64_t>(value));
    case ElementType::u8:
      return put(to, nearest<std::uint8_t>(value));
    case ElementType::i8:
      return put(to, nearest<std::int8_t>(value));
  }
}

/// One output; how many of its elements were written.
std::uint64_t complete_one(ElementType type, std::span<const std::byte> poison,
                           const verify::Expected& expected, verify::Bytes& output) {
  const std::size_t size = bytes_of(type);
  std::uint64_t written = 0;
  for (std::size_t at = 0; at + size <= output.size(); at += size) {
    const std::span element = std::span(output).subspan(at, size);
    const std::span before = poison.subspan(at % poison.size(), size);
    if (!std::equal(element.begin(), element.end(), before.begin())) {
      ++written;
    } else if (!expected.native.empty()) {
      std::copy_n(expected.native.begin() + static_cast<std::ptrdiff_t>(at), size, element.begin());
    } else {
      put_element(type, expected.wide[at / size], element);
    }
  }
  return written;
}

}  // namespace

bool stands_alone(const Task& task, const LaunchPlan& plan, const device::RunReport& report) {
  const auto in_place = [](const TaskArgument& argument) {
    return argument.role == ArgumentRole::inout;
  };
  const auto other_write = [](const PlanStep& step) {
    return std::holds_alternative<Memset>(step) || std::holds_alternative<DeviceCopy>(step);
  };
  const auto adds = [](const device::LaunchDetail& launch) {
    return launch.report.counts.atomic_lanes > 0 || launch.report.may_wait;
  };
  const auto reads_nothing = [](const Finding& finding) {
    return finding.kind == "uninitialised_read";
  };
  return !std::any_of(task.arguments.begin(), task.arguments.end(), in_place) &&
         !std::any_of(plan.steps.begin(), plan.steps.end(), other_write) &&
         !std::any_of(report.launches.begin(), report.launches.end(), adds) &&
         !std::any_of(report.findings.begin(), report.findings.end(), reads_nothing);
}

double complete_unwritten(const Task& task, std::uint64_t poison_seed,
                          std::span<const verify::Expected> expected,
                          std::vector<verify::Bytes>& outputs) {
  double least = 1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    const std::size_t tile = std::min<std::uint64_t>(outputs[i].size(), device::kPoisonTileBytes);
    const auto poison = device::poison_pattern(poison_seed, tile);
    const std::uint64_t written =
        complete_one(task.arguments[i].type, poison, expected[i], outputs[i]);
    const std::size_t size = bytes_of(task.arguments[i].type);
    const auto all = static_cast<double>(outputs[i].size() / size);
    // A result of one byte is what was there before, one time in 256.
    const double by_chance = size == 1 && written > 0 ? 0.01 : 0;
    least = std::min(least, static_cast<double>(written) / all + by_chance);
  }
  return least;
}

std::vector<std::uint64_t> written_elements(ElementType type, std::uint64_t poison_seed,
                                            std::span<const std::byte> output) {
  const std::size_t size = bytes_of(type);
  const auto poison = device::poison_pattern(
      poison_seed, std::min<std::uint64_t>(output.size(), device::kPoisonTileBytes));
  std::vector<std::uint64_t> written;
  for (std::size_t at = 0; at + size <= output.size(); at += size) {
    if (std::memcmp(output.data() + at, poison.data() + at % poison.size(), size) != 0) {
      written.push_back(at / size);
    }
  }
  return written;
}

double share_run(const device::RunReport& report) {
  double least = 1;
  for (const device::LaunchDetail& launch : report.launches) {
    // The last block may have less to do, and so may one at the end of a row.
    constexpr double kLessToDo = 2;
    const auto all = static_cast<double>(launch.report.blocks_total);
    const auto run = static_cast<double>(launch.report.blocks_run);
    if (run < all) least = std::min(least, (run - kLessToDo) / all);
  }
  return least;
}

}  // namespace warpwright::evaluate
