// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/task.h"
#include "prompt/templates.h"

namespace warpwright::prompt {

/// How much of what the judge saw goes into a refined prompt.
enum class FeedbackLevel {
  paper,  ///< the error text, or the time per size: what the FSR paper sends
  rich,   ///< all of it: resources, occupancy, roofline, findings by line, what was tried before
};

std::string_view name_of(FeedbackLevel level);
std::optional<FeedbackLevel> feedback_level_named(std::string_view name);

/// How much of the program an optimise prompt asks to change.
enum class Scope {
  one_change,      ///< what removes the one bottleneck that costs most
  all_changes,     ///< all that pay, at once
  another_design,  ///< the program is shown as what to leave
};

/// What every prompt of a search shares. References: the caller keeps task and device alive.
struct PromptContext {
  const Task& task;
  const DeviceFacts& device;
  std::string rule_set;  ///< "strict" or "free"; empty = the task's own
  FeedbackLevel level = FeedbackLevel::rich;
  /// The refined prompt has no dialogue before it: it restates the task and quotes the source.
  bool standalone = false;
  std::string direction;  ///< what an optimise prompt asks to change; empty = the model decides
  Scope scope = Scope::one_change;
  std::string examples;        ///< of like tasks, for the initial prompt; empty = none
  bool offers_tuning = false;  ///< the program may declare parameters for `warpwright tune`
};

/// An earlier candidate in one line.
struct TriedBefore {
  std::string summary;    ///< what was tried, in a few words; may be empty
  Evaluation evaluation;  ///< how it fared
};

/// Limits of one prompt. What does not fit is left out with a note that says so.
inline constexpr std::size_t kMaxFeedbackLines = 150;
/// Of what an optimise prompt says of the program: times, resources, findings, what was tried.
inline constexpr std::size_t kMaxLimitLines = 40;
inline constexpr std::size_t kMaxFeedbackBytes = 8 * 1024;
inline constexpr std::size_t kMaxFindings = 20;
inline constexpr std::size_t kMaxTried = 12;
inline constexpr std::size_t kMaxSourceBytes = 64 * 1024;

/// The system message: role and form of the answer. May be empty in a user's own set.
Result<std::string> system_prompt(const TemplateSet& templates, const PromptContext& context);

Result<std::string> initial_prompt(const TemplateSet& templates, const PromptContext& context);

/// Asks for a faster kernel than the winner, whose source is only quoted when standalone.
Result<std::string> optimise_prompt(const TemplateSet& templates, const PromptContext& context,
                                    const std::string& source, const Evaluation& winner,
                                    std::span<const TriedBefore> tried);

/// The same for a dialogue that already holds the winner's source.
Result<std::string> optimise_prompt(const TemplateSet& templates, const PromptContext& context,
                                    const Evaluation& winner, std::span<const TriedBefore> tried);

/// The refined prompt for a failed candidate, by repair_kind(failed.verdict). An error for
/// verdicts that call for no repair.
Result<std::string> repair_prompt(const TemplateSet& templates, const PromptContext& context,
                                  const std::string& source, const Evaluation& failed,
                                  std::span<const TriedBefore> tried = {});

/// A valid program and how it fared.
struct Measured {
  const std::string& source;
  const Evaluation& evaluation;
};
/// Asks for one program with the advantages of both. Always restates the task.
Result<std::string> combine_prompt(const TemplateSet& templates, const PromptContext& context,
                                   const Measured& first, const Measured& second);

}  // namespace warpwright::prompt
