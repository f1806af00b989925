// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/verdict.h"
#include "llm/model.h"

namespace warpwright::verifiers {

/// One question that a model answers about a program by reading it.
struct Procedure {
  std::string_view name;      ///< "compile"
  std::string_view question;  ///< what is asked, in a few words
  std::string_view steps;     ///< what to look at, numbered
};

std::span<const Procedure> procedures();

/// Whether a verdict is of the kind that a procedure looks for.
bool concerns(const Procedure& procedure, Verdict verdict);

/// The question of a procedure about a program. `task` is what the program was asked to do.
std::vector<llm::Message> question_of(const Procedure& procedure, std::string_view task,
                                      std::string_view source);

/// What an answer says.
struct Opinion {
  bool passes = false;
  std::string because;  ///< one sentence, or empty
};

/// Nothing: the answer has no vote.
std::optional<Opinion> opinion_in(std::string_view answer);

}  // namespace warpwright::verifiers
