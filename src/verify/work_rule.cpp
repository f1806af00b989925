// SPDX-License-Identifier: Apache-2.0
#include "verify/work_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

namespace warpwright::verify {

namespace {

// Below, other methods need no fewer instructions than bubble sort must, and nothing can be told.
constexpr std::uint64_t kEnoughInversions = 1'000'000;
// An exchange of neighbours puts one pair in order and takes two instructions or more.
constexpr std::uint64_t kInstructionsPerExchange = 2;

/// How many pairs are out of order.
std::uint64_t inversions(std::vector<float> values) {
  std::vector<float> sorted(values.size());
  std::uint64_t count = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t low = 0; low < values.size(); low += 2 * width) {
      const std::size_t middle = std::min(low + width, values.size());
      const std::size_t high = std::min(low + 2 * width, values.size());
      std::size_t a = low, b = middle;
      for (std::size_t to = low; to < high; ++to) {
        const bool right = a == middle || (b < high && values[b] < values[a]);
        if (right) count += middle - a;
        sorted[to] = right ? values[b++] : values[a++];
      }
    }
    values.swap(sorted);
  }
  return count;
}

std::uint64_t exchange_instructions(const Task& task, std::span<const Bytes> inputs) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (argument.role != ArgumentRole::inout || argument.type != ElementType::f32) continue;
    std::vector<float> values(inputs[i].size() / sizeof(float));
    std::memcpy(values.data(), inputs[i].data(), values.size() * sizeof(float));
    const std::uint64_t pairs = inversions(std::move(values));
    return pairs < kEnoughInversions ? 0 : kInstructionsPerExchange * pairs;
  }
  return 0;
}

/// The larger, the clearer: the work of a network grows slower than the number of wrong pairs.
std::optional<TaskSize> near_the_largest(const Task& task, std::uint64_t seed) {
  if (task.sizes.empty()) return std::nullopt;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0.9, 1.0);
  TaskSize drawn = task.sizes.back();
  for (auto& [name, value] : drawn.values) {
    value = std::max(1.0, std::floor(value * share(random)));
  }
  drawn.label = label_of(task, drawn.values);
  return drawn;
}

std::string too_few_exchanges(std::uint64_t least, std::uint64_t executed) {
  return fmt::format(
      "{} pairs were out of order, and the whole call executed {} instructions: fewer than it "
      "takes to exchange neighbours that often",
      least / kInstructionsPerExchange, executed);
}

constexpr std::array<WorkRule, 1> kWorkRules = {{
    {.name = "adjacent_exchange",
     .draw_size = near_the_largest,
     .least_instructions = exchange_instructions,
     .accusation = too_few_exchanges,
     .demand = "This task asks for sorting by exchanges of neighbours only."},
}};

}  // namespace

const WorkRule* work_rule_of(const Task& task) {
  const auto* found = std::find_if(kWorkRules.begin(), kWorkRules.end(),
                                   [&](const WorkRule& rule) { return has_rule(task, rule.name); });
  return found == kWorkRules.end() ? nullptr : found;
}

}  // namespace warpwright::verify
