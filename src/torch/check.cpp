// SPDX-License-Identifier: Apache-2.0
#include "torch/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "torch/interpreter.h"
#include "verify/generate.h"

namespace warpwright::torch {

namespace {

using verify::Bytes;
using verify::Expected;
using Problems = std::vector<std::string>;

constexpr std::uint64_t kAlways = std::uint64_t{1} << 30;
constexpr std::size_t kMostSizes = 6;
constexpr double kRounding = 1e-9;

/// Bytes of a call. There are two sets of inputs, one of them once more on its way to the module,
/// and twice as much of it there in float64; and others work here, too.
std::uint64_t most_bytes() { return std::max(kAlways, reference_memory() / 8); }

struct Sized {
  std::uint64_t bytes = 0;
  const TaskSize* size = nullptr;
};

/// Those that can be computed here, the smallest first.
Result<std::vector<Sized>> small_sizes(const Task& task) {
  std::vector<Sized> sizes;
  for (const auto* list : {&task.edge_sizes, &task.sizes}) {
    for (const TaskSize& size : *list) {
      WW_TRY(const auto bytes, footprint_bytes(task, size));
      if (bytes <= most_bytes()) sizes.push_back({bytes, &size});
    }
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const Sized& a, const Sized& b) { return a.bytes < b.bytes; });
  if (sizes.size() > kMostSizes) sizes.resize(kMostSizes);
  return sizes;
}

bool wide_differs(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (const double value : a)
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) != std::isfinite(b[i])) return true;
    if (std::isfinite(a[i]) && std::fabs(a[i] - b[i]) > kRounding * largest) return true;
  }
  return false;
}

bool differ(const std::vector<Expected>& a, const std::vector<Expected>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].native != b[i].native || wide_differs(a[i].wide, b[i].wide)) return true;
  }
  return false;
}

bool has_numbers(const std::vector<Expected>& outputs) {
  for (const Expected& output : outputs) {
    if (!output.native.empty()) return true;
    for (const double value : output.wide)
      if (std::isfinite(value)) return true;
  }
  return false;
}

/// What forward is given: parameters may be of no effect, as a bias before a normalisation is, and
/// what forward writes into may be there to be written alone.
bool is_input(const TaskArgument& argument) {
  if (argument.role != ArgumentRole::input) return false;
  return argument.torch.empty() || argument.torch.starts_with("input") ||
         argument.torch.starts_with("grad_output");
}

/// One size and one set of inputs, and the same with one input drawn anew.
class Dependence {
 public:
  Dependence(const Task& task, const verify::ExpectedSource& reference)
      : task_(task), reference_(reference), seen_(task.arguments.size(), false), varied_(seen_) {}

  /// An error is the reference's own.
  Status look(const TaskSize& size, const InputVariant* variant, Problems& problems) {
    WW_TRY(const auto instance, verify::make_instance(task_, size, variant, 1));
    WW_TRY(const auto other, verify::make_instance(task_, size, variant, 2));
    WW_TRY(auto inputs, verify::generate_inputs(instance));
    WW_TRY(auto changed, verify::generate_inputs(other));
    WW_TRY(const auto outputs, reference_.run(instance, inputs));
    numbers_ = numbers_ || has_numbers(outputs);
    if (!repeated_) {
      repeated_ = true;
      WW_TRY(const auto again, reference_.run(instance, inputs));
      if (differ(outputs, again)) problems.emplace_back("the reference is random");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (seen_[i] || !is_input(task_.arguments[i])) continue;
      if (changed[i] == inputs[i]) continue;
      varied_[i] = true;
      std::swap(inputs[i], changed[i]);
      WW_TRY(const auto then, reference_.run(instance, inputs));
      std::swap(inputs[i], changed[i]);
      seen_[i] = differ(outputs, then);
    }
    return {};
  }

  [[nodiscard]] bool complete() const {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (is_input(task_.arguments[i]) && !seen_[i]) return false;
    return numbers_;
  }

  void tell(Problems& problems) const {
    if (!numbers_) problems.emplace_back("no output is a finite number");
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      // Limits of one sequence among one have no other value.
      if (seen_[i] || !varied_[i] || !is_input(task_.arguments[i])) continue;
      problems.push_back(
          fmt::format("the outputs do not depend on the input '{}'", task_.arguments[i].name));
    }
  }

 private:
  const Task& task_;
  const verify::ExpectedSource& reference_;
  std::vector<bool> seen_;    ///< outputs were others when it was
  std::vector<bool> varied_;  ///< it was drawn anew and was another
  bool numbers_ = false;
  bool repeated_ = false;
};

}  // namespace

Result<Problems> check_reference(const Task& task, const verify::ExpectedSource& reference) {
  WW_TRY(const auto sizes, small_sizes(task));
  if (sizes.empty())
    return Problems{
        fmt::format("no size is small enough to be computed here: the largest that is has {} MiB",
                    most_bytes() >> 20)};
  Problems problems;
  Dependence dependence(task, reference);
  for (const Sized& item : sizes) {
    std::vector<const InputVariant*> variants = {nullptr};
    for (const InputVariant& variant : task.variants) variants.push_back(&variant);
    for (const InputVariant* variant : variants) {
      WW_TRY(const bool meant,
             variant == nullptr ? Result<bool>(true) : applies(task, *variant, *item.size));
      if (!meant) continue;
      if (const auto status = dependence.look(*item.size, variant, problems); !status.ok())
        return Problems{fmt::format("at size '{}': {}", item.size->label, status.error().message)};
      if (dependence.complete()) return problems;
    }
  }
  dependence.tell(problems);
  return problems;
}

}  // namespace warpwright::torch
