// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device_facts.h"
#include "core/task.h"
#include "prompt/compose.h"
#include "prompt/templates.h"
#include "search/composer.h"

namespace warpwright::search {

/// Writes questions from the prompt templates. Keeps copies of what it needs.
class PromptComposer final : public Composer {
 public:
  PromptComposer(prompt::TemplateSet templates, Task task, DeviceFacts device, std::string rule_set,
                 prompt::FeedbackLevel level);

  /// Tells the model that it may declare parameters, which are then tuned without it.
  void offer_tuning(bool offer) { offers_tuning_ = offer; }
  /// Proven programs for like tasks, as the first question shows them.
  void show_examples(std::string examples) { examples_ = std::move(examples); }

  Result<std::vector<llm::Message>> initial() override;
  Result<std::vector<llm::Message>> optimise(const Trial& winner,
                                             std::span<const Trial> tried) override;
  Result<std::vector<llm::Message>> repair(const Trial& failed) override;
  Result<std::vector<llm::Message>> another_turn(const Trial& last,
                                                 std::span<const Trial> seen) override;
  Result<std::vector<llm::Message>> change(const Trial& parent, std::span<const Trial> siblings,
                                           int direction) override;
  Result<std::vector<llm::Message>> improve(const Trial& best,
                                            std::span<const Trial> tried) override;
  Result<std::vector<llm::Message>> redesign(const Trial& best,
                                             std::span<const Trial> tried) override;
  Result<std::vector<llm::Message>> combine(const Trial& first, const Trial& second) override;

 private:
  /// A question without a dialogue, about as much of the best kernel as the scope says.
  [[nodiscard]] Result<std::vector<llm::Message>> in_scope(prompt::Scope scope, const Trial& best,
                                                           std::span<const Trial> tried) const;
  /// The system message and this question.
  Result<std::vector<llm::Message>> alone(Result<std::string> question) const;
  [[nodiscard]] prompt::PromptContext context() const;

  prompt::TemplateSet templates_;
  Task task_;
  DeviceFacts device_;
  std::string rule_set_;
  prompt::FeedbackLevel level_;
  std::string examples_;
  bool offers_tuning_ = false;
};

}  // namespace warpwright::search
