// SPDX-License-Identifier: Apache-2.0
#pragma once

// A judgement's cases of every class at sizes that a test can afford, and outputs with one wrong
// element.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "verify/bench_case.h"
#include "verify/draw.h"
#include "verify/secret_draws.h"

namespace warpwright::verify {

inline bool slow_tests() { return std::getenv("WARPWRIGHT_SLOW_TESTS") != nullptr; }

/// Timed sizes of the task that a host's reference can do within a second, at most two.
inline std::vector<TaskSize> real_sizes(const Task& task) {
  std::vector<TaskSize> real;
  for (const TaskSize& size : task.sizes) {
    const bool small =
        footprint_bytes(task, size).value() <= 8 << 20 && work(task, size).value() <= 5e7;
    if (small && real.size() < 2) real.push_back(size);
  }
  return real;
}

/// The task with timed sizes that a host's reference can do at once, so that there are sizes
/// between and above them, too. Slow tests keep real ones where they can.
inline Task with_small_sizes(Task task) {
  if (auto real = real_sizes(task); slow_tests() && real.size() == 2) {
    task.sizes = std::move(real);
    return task;
  }
  std::map<std::uint64_t, TaskSize> by_bytes;
  for (const TaskSize& edge : task.edge_sizes) {
    if (work(task, edge).value() < 3e5) by_bytes.emplace(footprint_bytes(task, edge).value(), edge);
  }
  task.sizes.clear();
  task.edge_sizes.clear();
  for (const auto& [bytes, size] : by_bytes) {
    const bool apart =
        task.sizes.empty() || bytes >= 4 * footprint_bytes(task, task.sizes.front()).value();
    const bool timed = bytes >= 32 && bytes < 65536 && task.sizes.size() < 2 && apart;
    (timed ? task.sizes : task.edge_sizes).push_back(size);
  }
  return task;
}

inline DrawLimits class_limits(std::size_t patterns) {
  const std::uint64_t bytes = slow_tests() ? 64 << 20 : 128 << 10;
  const double operations = slow_tests() ? 2e8 : 2e6;
  return {.edge = {.max_bytes = slow_tests() ? 8u << 20 : 1u << 16,
                   .max_flops = slow_tests() ? 5e7 : 1e6,
                   .timed_sizes = true,
                   .sizes_per_variant = 2},
          .drawn = {.max_bytes = bytes, .max_work = operations},
          .patterns = patterns};
}

inline bool rejects(const CaseData& data, const std::vector<Bytes>& outputs) {
  const auto result = check_outputs(data.instance, data.inputs, data.expected, outputs);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() && result->has_value();
}

inline bool is_output(const TaskArgument& argument) {
  return argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout;
}

/// How far a value must be off to be worth an alarm: a share of its own size, of the usual size,
/// and of that of the terms it is made of.
inline double worth_seeing(const CaseData& data, std::size_t argument, std::size_t k) {
  const Expected& expected = data.expected[argument];
  const ElementType type = data.instance.task->arguments[argument].type;
  double squares = 0;
  const std::size_t count = data.honest[argument].size() / bytes_of(type);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = element_as_double(type, data.honest[argument], i);
    if (std::isfinite(value)) squares += value * value;
  }
  const double usual = std::sqrt(squares / static_cast<double>(count));
  const double own = element_as_double(type, data.honest[argument], k);
  const double terms = k < expected.scale.size() ? expected.scale[k] : 0;
  return 1e-3 * ((std::isfinite(own) ? std::fabs(own) : 0) + usual) + 1e-4 * terms + 1e-6;
}

/// Element k of an output as nobody wrote it: random bits that are not right by chance.
inline std::vector<Bytes> with_unwritten(const CaseData& data, std::size_t argument, std::size_t k,
                                         SecretDraws& draws) {
  auto outputs = data.honest;
  const ElementType type = data.instance.task->arguments[argument].type;
  const std::size_t width = bytes_of(type);
  const double least = worth_seeing(data, argument, k);
  const double right = element_as_double(type, data.honest[argument], k);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t garbage = draws.bits();
    std::memcpy(outputs[argument].data() + k * width, &garbage, width);
    const double wrong = element_as_double(type, outputs[argument], k);
    if (!(std::fabs(wrong - right) <= least)) break;
  }
  return outputs;
}

}  // namespace warpwright::verify
