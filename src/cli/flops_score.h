// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"
#include "flops/questions.h"

namespace warpwright::cli {

/// What a model said to the questions, in their order; its name beside.
struct Examined {
  std::string model;
  std::vector<flop::Answer> answers;
  std::vector<std::string> errors;  ///< "ID: why", of questions without an answer
};

/// Asks the model that the settings name, several questions at a time. Paid answers stay in the
/// spool: who is asked again after a stop pays once.
Result<Examined> examine(const Settings& settings, const std::vector<flop::Question>& questions,
                         const std::filesystem::path& spool);

/// Shares, MCC and MALE for both precisions; as JSON or as a table.
std::string score_report(const std::vector<flop::Question>& questions, const Examined& examined,
                         bool json);
/// The questions alone: texts for people, or a JSON array.
std::string prompt_report(const std::vector<flop::Question>& questions, bool json);

}  // namespace warpwright::cli
