// SPDX-License-Identifier: Apache-2.0
#include "search/composer.h"

namespace warpwright::search {

namespace {

// First question + this many later messages. Kernels are a few kilobytes each: four turns keep a
// request well inside every provider's context and its price in proportion.
constexpr std::size_t kKeptTail = 8;

}  // namespace

std::vector<llm::Message> continue_dialogue(const Trial& trial, std::string question) {
  std::vector<llm::Message> dialogue = trial.proposal.messages;
  dialogue.push_back({llm::Role::assistant, trial.reply});
  dialogue.push_back({llm::Role::user, std::move(question)});
  std::size_t head = 0;
  while (head < dialogue.size() && dialogue[head].role == llm::Role::system) ++head;
  ++head;  // the first question
  // An even number of messages goes, so that questions and answers keep alternating.
  while (dialogue.size() > head + kKeptTail) {
    const auto first = dialogue.begin() + static_cast<std::ptrdiff_t>(head);
    dialogue.erase(first, first + 2);
  }
  return dialogue;
}

std::string repair_kind_name(Verdict verdict) {
  switch (repair_kind(verdict)) {
    case RepairKind::compile:
      return "repair-compile";
    case RepairKind::launch:
      return "repair-launch";
    case RepairKind::mismatch:
      return "repair-mismatch";
    case RepairKind::none:
      break;
  }
  ASSERT(false, "no repair prompt for this verdict");
}

}  // namespace warpwright::search
