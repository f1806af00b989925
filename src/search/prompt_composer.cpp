// SPDX-License-Identifier: Apache-2.0
#include "search/prompt_composer.h"

#include "prompt/directions.h"
#include "prompt/feedback.h"

namespace warpwright::search {

PromptComposer::PromptComposer(prompt::TemplateSet templates, Task task, DeviceFacts device,
                               std::string rule_set, prompt::FeedbackLevel level)
    : templates_(std::move(templates)),
      task_(std::move(task)),
      device_(std::move(device)),
      rule_set_(std::move(rule_set)),
      level_(level) {}

prompt::PromptContext PromptComposer::context() const {
  return {.task = task_,
          .device = device_,
          .rule_set = rule_set_,
          .level = level_,
          .standalone = false,
          .direction = {},
          .scope = prompt::Scope::one_change,
          .examples = examples_,
          .offers_tuning = offers_tuning_};
}

Result<std::vector<llm::Message>> PromptComposer::alone(Result<std::string> question) const {
  std::vector<llm::Message> messages;
  WW_TRY(std::string system, prompt::system_prompt(templates_, context()));
  if (!system.empty()) messages.push_back({llm::Role::system, std::move(system)});
  if (!question.ok()) return question.error();
  messages.push_back({llm::Role::user, std::move(*question)});
  return messages;
}

namespace {

/// In a line each: what the answer said of itself, and how it fared.
std::vector<prompt::TriedBefore> in_lines(std::span<const Trial> trials, std::string_view but) {
  std::vector<prompt::TriedBefore> lines;
  for (const Trial& trial : trials) {
    // Nobody answered, or the judge failed: that says nothing of a kernel.
    if (trial.proposal.id == but || (trial.reply.empty() && trial.source.empty()) ||
        trial.evaluation.verdict == Verdict::harness_error)
      continue;
    const std::string words = prompt::remark_of(trial.reply);
    lines.push_back({"candidate " + trial.proposal.id + (words.empty() ? "" : " (" + words + ")"),
                     trial.evaluation});
  }
  return lines;
}

}  // namespace

Result<std::vector<llm::Message>> PromptComposer::initial() {
  return alone(prompt::initial_prompt(templates_, context()));
}

Result<std::vector<llm::Message>> PromptComposer::optimise(const Trial& winner,
                                                           std::span<const Trial> tried) {
  const auto earlier = in_lines(tried, winner.proposal.id);
  WW_TRY(std::string question,
         prompt::optimise_prompt(templates_, context(), winner.evaluation, earlier));
  return continue_dialogue(winner, std::move(question));
}

Result<std::vector<llm::Message>> PromptComposer::repair(const Trial& failed) {
  WW_TRY(std::string question,
         prompt::repair_prompt(templates_, context(), failed.source, failed.evaluation));
  return continue_dialogue(failed, std::move(question));
}

Result<std::vector<llm::Message>> PromptComposer::another_turn(const Trial& last,
                                                               std::span<const Trial> seen) {
  const auto earlier = in_lines(seen, last.proposal.id);
  prompt::PromptContext whole = context();
  whole.standalone = true;
  if (last.evaluation.valid()) {
    return alone(prompt::optimise_prompt(templates_, whole, last.source, last.evaluation, earlier));
  }
  return alone(prompt::repair_prompt(templates_, whole, last.source, last.evaluation, earlier));
}

Result<std::vector<llm::Message>> PromptComposer::change(const Trial& parent,
                                                         std::span<const Trial> siblings,
                                                         int direction) {
  prompt::PromptContext whole = context();
  whole.standalone = true;
  whole.direction = prompt::direction_text(direction);
  return alone(prompt::optimise_prompt(templates_, whole, parent.source, parent.evaluation,
                                       in_lines(siblings, parent.proposal.id)));
}

Result<std::vector<llm::Message>> PromptComposer::improve(const Trial& best,
                                                          std::span<const Trial> tried) {
  return in_scope(prompt::Scope::all_changes, best, tried);
}

Result<std::vector<llm::Message>> PromptComposer::redesign(const Trial& best,
                                                           std::span<const Trial> tried) {
  return in_scope(prompt::Scope::another_design, best, tried);
}

Result<std::vector<llm::Message>> PromptComposer::in_scope(prompt::Scope scope, const Trial& best,
                                                           std::span<const Trial> tried) const {
  prompt::PromptContext whole = context();
  whole.standalone = true;
  whole.scope = scope;
  return alone(prompt::optimise_prompt(templates_, whole, best.source, best.evaluation,
                                       in_lines(tried, best.proposal.id)));
}

Result<std::vector<llm::Message>> PromptComposer::combine(const Trial& first, const Trial& second) {
  return alone(prompt::combine_prompt(templates_, context(), {first.source, first.evaluation},
                                      {second.source, second.evaluation}));
}

}  // namespace warpwright::search
