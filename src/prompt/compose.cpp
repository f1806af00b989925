// SPDX-License-Identifier: Apache-2.0
#include "prompt/compose.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/task_domains.h"
#include "core/verdict.h"
#include "prompt/device_notes.h"
#include "prompt/feedback.h"

namespace warpwright::prompt {

namespace {

// Headings and empty lines around the parts of an optimise prompt.
constexpr std::size_t kFrameLines = 10;
constexpr std::size_t kLeastFindingLines = 5;

/// A section's value when only its presence counts.
constexpr const char* kYes = "yes";

/// The source in a fence that nothing inside can close.
std::string fenced(std::string_view source) {
  if (trimmed(source).empty()) return {};
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : source) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  auto text = shortened(clean_utf8(source), kMaxSourceBytes);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return fmt::format("{}cuda\n{}\n{}", fence, text, fence);
}

std::string_view repair_file(RepairKind kind) {
  switch (kind) {
    case RepairKind::compile:
      return "repair-compile.txt";
    case RepairKind::launch:
      return "repair-launch.txt";
    case RepairKind::mismatch:
      return "repair-mismatch.txt";
    case RepairKind::none:
      break;
  }
  return {};
}

/// The stream of HIP has another name.
std::string signature_for(const Task& task, const DeviceFacts& device) {
  constexpr std::string_view kStream = "cudaStream_t";
  std::string text = signature_of(task);
  const auto at = text.find(kStream);
  if (!device.amd.empty() && at != std::string::npos)
    text.replace(at, kStream.size(), "hipStream_t");
  return text;
}

Result<TemplateValues> common_values(const PromptContext& context) {
  const Task& task = context.task;
  const std::string& rule_set = context.rule_set.empty() ? task.rule_set : context.rule_set;
  if (rule_set != "strict" && rule_set != "free") {
    return Error{fmt::format(
        "cannot write a prompt for task {}: unknown rule set \"{}\"; use strict or free", task.name,
        rule_set)};
  }
  const DeviceFacts& device = context.device;
  TemplateValues values;
  values["title"] = task.title;
  values["description"] =
      trimmed(task.description + ranges_for_model(task) + module_for_model(task));
  values["signature"] = signature_for(task, context.device);
  values["arguments"] = arguments_text(task);
  values["sizes"] = sizes_text(task.sizes);
  values["rules"] = rules_text(task);
  values["rule_set"] = rule_set;
  values["rule_set_" + rule_set] = kYes;
  values["device"] = device.name;
  const bool hip = !device.amd.empty();
  values[hip ? "hip" : "cuda"] = kYes;
  values["language"] = hip ? "HIP C++" : "CUDA C++";
  values["maker"] = hip ? "AMD" : "NVIDIA";
  values["file"] = hip ? ".hip" : ".cu";
  values["instruction_set"] = instruction_set(device);
  values["wavefront"] = std::to_string(device.warp_size);
  values["compute_capability"] = fmt::format("{}.{}", device.compute_major, device.compute_minor);
  values["device_facts"] = device_facts_text(device) + tensor_rate_text(task, device);
  if (context.level == FeedbackLevel::rich) values["device_facts"] += device_notes(device);
  if (context.offers_tuning) values["tuning"] = kYes;
  values["level_" + std::string(name_of(context.level))] = kYes;
  return values;
}

Result<TemplateValues> refined_values(const TemplateSet& templates, const PromptContext& context,
                                      const std::string& source) {
  WW_TRY(auto values, common_values(context));
  if (context.standalone) {
    values["task_statement"] = trimmed(templates.get("initial.txt").render(values));
    values["source"] = fenced(source);
  }
  return values;
}

std::string times_are(const Evaluation& evaluation) {
  const auto estimated =
      std::count_if(evaluation.measurements.begin(), evaluation.measurements.end(),
                    [](const auto& m) { return m.source == TimeSource::estimated; });
  if (estimated == 0) return "measured";
  return static_cast<std::size_t>(estimated) == evaluation.measurements.size()
             ? "estimated"
             : "partly measured, partly estimated";
}

std::string_view section_of(Scope scope) {
  switch (scope) {
    case Scope::one_change:
      return "scope_one";
    case Scope::all_changes:
      return "scope_all";
    case Scope::another_design:
      return "scope_design";
  }
  return "scope_one";
}

std::string finished(std::string_view text) {
  return text.empty() ? std::string() : std::string(text) + "\n";
}

}  // namespace

std::string_view name_of(FeedbackLevel level) {
  return level == FeedbackLevel::paper ? "paper" : "rich";
}

std::optional<FeedbackLevel> feedback_level_named(std::string_view name) {
  if (name == "paper") return FeedbackLevel::paper;
  if (name == "rich") return FeedbackLevel::rich;
  return std::nullopt;
}

Result<std::string> system_prompt(const TemplateSet& templates, const PromptContext& context) {
  WW_TRY(const auto values, common_values(context));
  return finished(trimmed(templates.get("system.txt").render(values)));
}

Result<std::string> initial_prompt(const TemplateSet& templates, const PromptContext& context) {
  WW_TRY(auto values, common_values(context));
  values["examples"] = context.examples;
  return finished(trimmed(templates.get("initial.txt").render(values)));
}

Result<std::string> optimise_prompt(const TemplateSet& templates, const PromptContext& context,
                                    const std::string& source, const Evaluation& winner,
                                    std::span<const TriedBefore> tried) {
  WW_TRY(auto values, refined_values(templates, context, source));
  values["times"] = times_text(winner, context.level);
  values["times_are"] = times_are(winner);
  values["direction"] = context.direction;
  values[std::string(section_of(context.scope))] = kYes;
  if (context.level == FeedbackLevel::rich) {
    if (const auto gain = speedup(winner)) values["speedup"] = fmt::format("{:.2f}", *gain);
    if (const auto share = roofline_share(winner)) {
      values["roofline"] = fmt::format("{:.0f}%", 100 * *share);
    }
    if (const std::string line = farthest_text(winner); !line.empty()) {
      values["times"] += "\n" + line;
    }
    values["resources"] = resources_text(winner);
    values["tried"] = tried_text(tried);
    std::size_t used = kFrameLines;
    for (const char* name : {"times", "resources", "tried"}) {
      used += lines_of(values[name]).size();
    }
    // At least the first findings, which are the gravest.
    const std::size_t room =
        std::max(kLeastFindingLines, kMaxLimitLines - std::min(used, kMaxLimitLines));
    values["findings"] = limited(findings_text(winner, source), room - 1, kMaxFeedbackBytes);
  }
  return finished(trimmed(templates.get("optimise.txt").render(values)));
}

Result<std::string> optimise_prompt(const TemplateSet& templates, const PromptContext& context,
                                    const Evaluation& winner, std::span<const TriedBefore> tried) {
  return optimise_prompt(templates, context, {}, winner, tried);
}

Result<std::string> repair_prompt(const TemplateSet& templates, const PromptContext& context,
                                  const std::string& source, const Evaluation& failed,
                                  std::span<const TriedBefore> tried) {
  const auto file = repair_file(repair_kind(failed.verdict));
  if (file.empty()) {
    return Error{fmt::format(
        "cannot write a repair prompt for task {}: a candidate judged {} needs no repair",
        context.task.name, name_of(failed.verdict))};
  }
  WW_TRY(auto values, refined_values(templates, context, source));
  values["verdict"] = name_of(failed.verdict);
  values["verdict_" + std::string(name_of(failed.verdict))] = kYes;
  values["stage"] = name_of(failed.stage);
  values["feedback"] = failure_text(failed, source, context.level);
  if (context.level == FeedbackLevel::rich) {
    values["resources"] = resources_text(failed);
    values["findings"] = findings_text(failed, source);
    values["tried"] = tried_text(tried);
  }
  return finished(trimmed(templates.get(file).render(values)));
}

Result<std::string> combine_prompt(const TemplateSet& templates, const PromptContext& context,
                                   const Measured& first, const Measured& second) {
  PromptContext alone = context;
  alone.standalone = true;
  WW_TRY(auto values, refined_values(templates, alone, first.source));
  values["times"] = times_text(first.evaluation, context.level);
  values["times_are"] = times_are(first.evaluation);
  values["other_source"] = fenced(second.source);
  values["other_times"] = times_text(second.evaluation, context.level);
  if (context.level == FeedbackLevel::rich) {
    values["resources"] = resources_text(first.evaluation);
    values["other_resources"] = resources_text(second.evaluation);
  }
  return finished(trimmed(templates.get("combine.txt").render(values)));
}

}  // namespace warpwright::prompt
