// SPDX-License-Identifier: Apache-2.0
#include "torch/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/generate.h"

namespace warpwright::torch {

namespace {

using verify::Bytes;
using verify::Expected;

constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestBytes = std::uint64_t{1} << 30;
constexpr double kNearZero = 0.01;   // as robust-kbench: outputs within it say nothing
constexpr double kSameShare = 0.01;  // of the whole deviation
constexpr double kIdle = 1e-6;       // relative change that no input makes

/// All outputs of one call as numbers, output by output.
using Numbers = std::vector<std::vector<double>>;

/// The largest that is small, for speed; else the smallest.
Result<const TaskSize*> size_for(const Task& task) {
  const TaskSize* chosen = nullptr;
  const TaskSize* smallest = nullptr;
  std::uint64_t most = 0;
  std::uint64_t least = kLargestBytes;
  for (const auto* list : {&task.edge_sizes, &task.sizes}) {
    for (const TaskSize& size : *list) {
      WW_TRY(const auto bytes, footprint_bytes(task, size));
      if (bytes <= kSmallBytes && bytes > most) {
        chosen = &size;
        most = bytes;
      }
      if (bytes <= least) {
        smallest = &size;
        least = bytes;
      }
    }
  }
  if (chosen == nullptr) chosen = smallest;
  if (chosen == nullptr) return Error{"no size is small enough to be computed here"};
  return chosen;
}

Numbers numbers_of(const Task& task, const std::vector<Expected>& outputs) {
  Numbers all(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    all[i].assign(outputs[i].wide.begin(), outputs[i].wide.end());
    if (outputs[i].native.empty()) continue;
    const std::size_t count = outputs[i].native.size() / bytes_of(task.arguments[i].type);
    for (std::size_t k = 0; k < count; ++k)
      all[i].push_back(verify::element_as_double(task.arguments[i].type, outputs[i].native, k));
  }
  return all;
}

/// RMS of the difference over the RMS of the first; the largest of the outputs.
double change(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double difference = 0;
    double square = 0;
    for (std::size_t k = 0; k < a[i].size() && k < b[i].size(); ++k) {
      if (!std::isfinite(a[i][k]) || !std::isfinite(b[i][k])) {
        difference += std::isfinite(a[i][k]) != std::isfinite(b[i][k]) ? 1 : 0;
        continue;
      }
      difference += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
      square += a[i][k] * a[i][k];
    }
    if (difference > 0)
      largest = std::max(largest, std::sqrt(difference / std::max(square, 1e-300)));
  }
  return std::min(largest, 1e6);
}

struct Moments {
  double largest = 0;
  double deviation = 0;
};

Moments moments_of(std::span<const double> values) {
  Moments found;
  double sum = 0;
  double square = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    found.largest = std::max(found.largest, std::fabs(value));
    sum += value;
    square += value * value;
    ++count;
  }
  if (count > 0)
    found.deviation = std::sqrt(std::max(0.0, square / count - sum / count * sum / count));
  return found;
}

/// The dimensions that torch = "output: float32[rows, cols]" says; none where it does not.
std::vector<std::size_t> dimensions_of(const TaskArgument& argument, const Values& values) {
  const auto open = argument.torch.find('[');
  if (open == std::string::npos || !argument.torch.ends_with(']')) return {};
  std::vector<std::size_t> dims;
  std::string part;
  int depth = 0;
  for (std::size_t i = open + 1; i < argument.torch.size(); ++i) {
    const char c = argument.torch[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ']' && (c != ',' || depth > 0)) {
      part += c;
      continue;
    }
    const auto value = value_of(part, values);
    if (!value.ok() || *value < 1) return {};
    dims.push_back(static_cast<std::size_t>(*value));
    part.clear();
  }
  return dims;
}

/// Mean deviation along one axis over the deviation of the whole.
double along_axis(const std::vector<double>& values, std::size_t outer, std::size_t length,
                  std::size_t inner) {
  const double whole = moments_of(values).deviation;
  if (whole == 0) return 0;
  double sum = 0;
  std::vector<double> line(length);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      for (std::size_t k = 0; k < length; ++k) line[k] = values[(o * length + k) * inner + i];
      sum += moments_of(line).deviation;
    }
  }
  return sum / static_cast<double>(outer * inner) / whole;
}

void add_axes(const Task& task, const Values& values, const Numbers& outputs, LintReport& report) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto dims = dimensions_of(task.arguments[i], values);
    std::size_t count = 1;
    for (const std::size_t n : dims) count *= n;
    if (dims.empty() || count != outputs[i].size()) continue;
    std::size_t outer = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::size_t inner = count / outer / dims[d];
      if (dims[d] > 1)
        report.axes.push_back({fmt::format("axis {} of {}", d, task.arguments[i].name),
                               along_axis(outputs[i], outer, dims[d], inner)});
      outer *= dims[d];
    }
  }
}

void find_problems(const Task& task, const Numbers& outputs, LintReport& report) {
  auto& problems = report.problems;
  if (report.largest < kNearZero)
    problems.push_back(
        fmt::format("all outputs are near zero: the largest is {:.2g}", report.largest));
  else if (report.spread < kNearZero * report.largest)
    problems.push_back(
        fmt::format("all outputs are nearly the same: they deviate by {:.2g}", report.spread));
  if (report.seed_change < kSameShare)
    problems.push_back(fmt::format("outputs hardly depend on what is drawn: they change by {:.2g}",
                                   report.seed_change));
  for (const LintShare& share : report.arguments)
    if (share.value < kIdle)
      problems.push_back(
          fmt::format("outputs do not depend on {}: work on it is redundant", share.what));
  for (const LintShare& share : report.axes)
    if (share.value < kSameShare)
      problems.push_back(
          fmt::format("outputs are the same along {}: {:.2g}", share.what, share.value));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = i + 1; k < outputs.size(); ++k) {
      if (outputs[i].empty() || outputs[i].size() != outputs[k].size()) continue;
      if (change({outputs[i]}, {outputs[k]}) < kIdle)
        problems.push_back(fmt::format("the outputs '{}' and '{}' are the same: one is redundant",
                                       task.arguments[i].name, task.arguments[k].name));
    }
  }
}

}  // namespace

Result<LintReport> lint_task(const Task& task, const verify::ExpectedSource& reference) {
  WW_TRY(const TaskSize* size, size_for(task));
  LintReport report;
  report.size = size->label;
  std::vector<std::vector<Bytes>> inputs;
  std::vector<Numbers> outputs;
  std::optional<verify::Instance> first;
  for (const std::uint64_t seed : {1, 2, 3}) {
    WW_TRY(const auto instance, verify::make_instance(task, *size, nullptr, seed));
    WW_TRY(auto made, verify::generate_inputs(instance));
    WW_TRY(const auto expected, reference.run(instance, made));
    inputs.push_back(std::move(made));
    outputs.push_back(numbers_of(task, expected));
    if (!first) first.emplace(instance);
  }
  std::vector<double> all;
  for (const auto& output : outputs.front()) all.insert(all.end(), output.begin(), output.end());
  const Moments moments = moments_of(all);
  report.largest = moments.largest;
  report.spread = all.size() > 1 ? moments.deviation : moments.largest;
  report.seed_change = std::max(change(outputs[0], outputs[1]), change(outputs[0], outputs[2]));
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (!is_buffer(argument) || argument.role == ArgumentRole::output) continue;
    double most = 0;
    bool differs = false;
    for (std::size_t other = 1; other < inputs.size() && most < kIdle; ++other) {
      if (inputs[other][i] == inputs[0][i]) continue;
      differs = true;
      auto mixed = inputs[0];
      mixed[i] = inputs[other][i];
      WW_TRY(const auto then, reference.run(*first, mixed));
      most = std::max(most, change(outputs[0], numbers_of(task, then)));
    }
    if (differs) report.arguments.push_back({"'" + argument.name + "'", most});
  }
  add_axes(task, first->values, outputs.front(), report);
  find_problems(task, outputs.front(), report);
  return report;
}

}  // namespace warpwright::torch
