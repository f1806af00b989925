// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/archive.h"

namespace warpwright::store {

/// One run's memory, as the search uses it: what was asked, answered and judged before is found
/// here instead of being paid for again. All writes between begin() and commit() become durable
/// together.
class RunLog {
 public:
  RunLog(Archive& archive, std::string run) : archive_(archive), run_(std::move(run)) {}

  [[nodiscard]] const std::string& run() const { return run_; }

  Status begin();
  Status commit();
  /// Undoes what was begun; nothing happens when nothing was.
  void rollback();

  /// The stored question wins over a newly written one, so that templates may change between two
  /// resumes without orphaning paid answers.
  Result<PromptRecord> remember_prompt(const PromptRecord& prompt);

  Result<std::optional<ReplyRecord>> reply(const std::string& trial);
  Status add_reply(const std::string& trial, const ReplyRecord& reply);
  /// What an unpriced answer cost, now that its price is known.
  Status set_price(const std::string& trial, double cost_usd);

  Result<std::vector<FailureRecord>> failures(const std::string& trial);
  Status add_failure(const std::string& trial, const FailureRecord& failure);

  /// Stores what was found in a reply; the source is stored once per content.
  Status add_candidate(const std::string& trial, const CandidateRecord& candidate);

  Result<std::optional<Evaluation>> evaluation(const std::string& source_sha256);
  Status add_evaluation(const std::string& source_sha256, const Evaluation& evaluation);

  Status note(std::string_view kind, std::string_view data);

 private:
  Archive& archive_;
  std::string run_;
};

}  // namespace warpwright::store
