// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.h"
#include "core/task.h"

namespace warpwright::data {

struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant"
  std::string text;
};

/// One answer of a model, with everything that is known of it.
struct Sample {
  std::string origin;  ///< the archive's or recording's name
  std::string run;
  std::string trial;
  std::string parent;  ///< the trial that it refines, or empty
  std::string task_name;
  std::shared_ptr<const Task> task;  ///< null: this program does not know the task
  std::string rule_set;              ///< empty: the task's own
  std::vector<ChatMessage> messages;
  std::string answer;
  std::string reasoning;              ///< where the provider gave it apart from the answer
  std::int64_t reasoning_tokens = 0;  ///< as the provider counted them, 0 = it did not
  std::string model;
  std::string source;                    ///< empty: the answer holds no code
  std::string no_code;                   ///< why
  std::optional<Evaluation> evaluation;  ///< as it was stored
};

/// How long an answer's thinking is, in tokens, and whether it is the provider's reasoning or the
/// words around the code.
struct ThinkingLength {
  double tokens = 0;
  bool is_reasoning = false;
};
ThinkingLength thinking_of(const Sample& sample);

/// Words and marks, times 1.3: what byte-pair encodings come to on English and code.
double estimated_tokens(std::string_view text);

/// A text without its fenced blocks.
std::string without_code(std::string_view answer);

/// The kind of computation, for balance: "matmul", "reduction", ... "other".
std::string_view task_type(std::string_view name, std::string_view title);
std::string_view task_type(const Sample& sample);

}  // namespace warpwright::data
