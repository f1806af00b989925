// SPDX-License-Identifier: Apache-2.0
#include "search/prompt_composer.h"

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
  return {.task = task_, .device = device_, .rule_set = rule_set_, .level = level_};
}

Result<std::vector<llm::Message>> PromptComposer::initial() {
  std::vector<llm::Message> messages;
  WW_TRY(std::string system, prompt::system_prompt(templates_, context()));
  if (!system.empty()) messages.push_back({llm::Role::system, std::move(system)});
  WW_TRY(std::string question, prompt::initial_prompt(templates_, context()));
  messages.push_back({llm::Role::user, std::move(question)});
  return messages;
}

Result<std::vector<llm::Message>> PromptComposer::optimise(const Trial& winner,
                                                           std::span<const Trial> tried) {
  std::vector<prompt::TriedBefore> earlier;
  for (const Trial& trial : tried) {
    if (trial.proposal.id == winner.proposal.id) continue;
    const std::string words = prompt::remark_of(trial.reply);
    earlier.push_back({"candidate " + trial.proposal.id + (words.empty() ? "" : " (" + words + ")"),
                       trial.evaluation});
  }
  WW_TRY(std::string question,
         prompt::optimise_prompt(templates_, context(), winner.evaluation, earlier));
  return continue_dialogue(winner, std::move(question));
}

Result<std::vector<llm::Message>> PromptComposer::repair(const Trial& failed) {
  WW_TRY(std::string question,
         prompt::repair_prompt(templates_, context(), failed.source, failed.evaluation));
  return continue_dialogue(failed, std::move(question));
}

}  // namespace warpwright::search
