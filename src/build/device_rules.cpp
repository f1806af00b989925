// SPDX-License-Identifier: Apache-2.0
#include "build/device_rules.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>

namespace warpwright::build {

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::array<std::string_view, 4> kLibraries = {"cub::", "thrust::", "cuda::", "cccl::"};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain != nullptr ? plain.get() : name;
}

/// "void ns::k<float, (int)4>(float*)" -> "ns::k"; `is_template` tells whether arguments of a
/// template were left out.
std::string without_arguments(std::string_view name, bool& is_template) {
  std::string result;
  int depth = 0;
  is_template = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name.substr(i).starts_with(kAnonymous)) {
      result += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (name[i] == '<') {
      ++depth;
      is_template = true;
    } else if (name[i] == '>') {
      --depth;
    } else if (depth == 0 && name[i] == '(') {
      break;
    } else if (depth == 0) {
      result += name[i];
    }
  }
  // Templates are shown with their return type.
  const auto blank = result.find_last_of(' ');
  const bool inside = blank != std::string::npos && result.find(kAnonymous) != std::string::npos &&
                      blank < result.find(kAnonymous) + kAnonymous.size();
  if (blank == std::string::npos || inside) {
    return result.starts_with("void ") ? result.substr(5) : result;
  }
  return result.substr(blank + 1);
}

const ptx::Entry* entry_named(const std::vector<ptx::Entry>& entries, std::string_view name) {
  for (const auto& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

struct TopicRow {
  ptx::CensusTopic topic;
  std::string_view rule;
  std::string_view message;
};

constexpr std::array<TopicRow, 5> kTopics = {{
    {ptx::CensusTopic::state, "hidden_state",
     "assembler text that declares variables in global memory is not allowed"},
    {ptx::CensusTopic::cache, "cache_pinning",
     "pinning data in the L2 cache is not allowed (L2::evict_last, L2::cache_hint): every call "
     "must "
     "bring its data in itself"},
    {ptx::CensusTopic::clock, "clock",
     "kernels must not read a clock: what they do may not depend on time"},
    {ptx::CensusTopic::place, "place",
     "kernels must not ask where they run (%smid, %nsmid, %warpid, %gridid and the like): what "
     "they "
     "do may not depend on it"},
    {ptx::CensusTopic::precision, "full_precision",
     "this task asks for single-precision arithmetic throughout; lower precisions and tensor cores "
     "are not allowed"},
}};

/// FP64 is more than what is asked for.
bool concerns(const ptx::CensusRow& row, const TopicRow& topic, const DeviceRules& rules) {
  const ptx::CensusKind* kind = ptx::census_kind(row.kind);
  if (kind == nullptr || kind->topic != topic.topic) return false;
  if (topic.topic != ptx::CensusTopic::precision) return true;
  return rules.full_precision && row.kind != "tensor_f64" && row.kind != "tensor_int";
}

std::optional<LintFinding> count_functions(const std::vector<ptx::Entry>& entries) {
  std::set<std::string> functions;
  for (const auto& entry : entries) {
    if (!is_library_kernel(entry)) functions.insert(kernel_function(entry));
  }
  if (functions.size() == 1) return std::nullopt;
  std::string message = "the rule set `strict` asks for exactly one __global__ function";
  if (functions.empty()) return LintFinding{"one_kernel", 0, message + "; there is none"};
  message += "; there are " + std::to_string(functions.size()) + ":";
  for (const auto& function : functions) message += " " + function + ",";
  message.pop_back();
  return LintFinding{"one_kernel", 0, message + " (instances of one template count once)"};
}

}  // namespace

DeviceRules device_rules(const Task& task, std::string_view rule_set) {
  return {.one_kernel = (rule_set.empty() ? std::string_view(task.rule_set) : rule_set) == "strict",
          .full_precision = wants_full_precision(task),
          .no_copy_call = has_rule(task, "no_copy_call")};
}

std::string kernel_function(const ptx::Entry& entry) {
  bool is_template = false;
  const std::string plain = demangled(entry.name);
  const std::string function = without_arguments(plain, is_template);
  if (is_template) return function;
  // Without template arguments, what is in parentheses tells overloads apart.
  const auto from = plain.find(function);
  return from == std::string::npos ? plain : plain.substr(from);
}

bool is_library_kernel(const ptx::Entry& entry) {
  bool ignored = false;
  const std::string function = without_arguments(demangled(entry.name), ignored);
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](std::string_view library) { return function.starts_with(library); });
}

std::optional<LintFinding> broken_by_code(const DeviceRules& rules,
                                          const std::vector<ptx::Entry>& entries,
                                          const std::vector<ptx::CensusRow>& census) {
  for (const auto& topic : kTopics) {
    for (const auto& row : census) {
      if (!concerns(row, topic, rules)) continue;
      const auto what = std::string(ptx::census_kind(row.kind)->what);
      return LintFinding{
          std::string(topic.rule), row.line,
          std::string(topic.message) + " (found: " + what + ", " + row.example + ")"};
    }
  }
  return rules.one_kernel ? count_functions(entries) : std::nullopt;
}

std::optional<LintFinding> broken_by_plan(const DeviceRules& rules,
                                          const std::vector<ptx::Entry>& entries,
                                          const LaunchPlan& plan) {
  for (const auto& step : plan.steps) {
    if (rules.no_copy_call && std::holds_alternative<DeviceCopy>(step)) {
      return LintFinding{"no_copy_call", 0,
                         "this task asks for a kernel that moves the data; cudaMemcpy and its "
                         "relatives are not allowed"};
    }
    const auto* launch = std::get_if<KernelLaunch>(&step);
    if (!rules.one_kernel || launch == nullptr) continue;
    const ptx::Entry* entry = entry_named(entries, launch->kernel);
    if (entry == nullptr || !is_library_kernel(*entry)) continue;
    return LintFinding{
        "one_kernel", 0,
        "the rule set `strict` asks for exactly one __global__ function of your own; kernels of "
        "a library are not allowed"};
  }
  return std::nullopt;
}

}  // namespace warpwright::build
